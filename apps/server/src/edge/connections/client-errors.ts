import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROBLEM_JSON, problemBody, titleOf } from '../problems/problem-response.js';

/** What Node's parser refuses never becomes a request: it is answered on the bare socket. */
const BY_CODE: Readonly<Record<string, readonly [status: number, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'invalid_request', 'the request line and the headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'the chunk extensions are too large'],
};
const MALFORMED = [400, 'invalid_request', 'this is not a valid HTTP/1.1 request'] as const;
const OVERLOADED = [503, 'overloaded', 'too many connections; try again later'] as const;

/** What Node says of a request that is late. */
export const REQUEST_TIMEOUT: NodeJS.ErrnoException = Object.assign(new Error('Request timeout'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
});

/** For the server's `clientError`. */
export function answerClientError(newId: () => string, error: NodeJS.ErrnoException, socket: Duplex): void {
  // Bytes in the middle of an answer that has begun would be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  socket.end(rawProblem(BY_CODE[error.code ?? ''] ?? MALFORMED, newId()), () => socket.destroy());
}

/** `Expect` of anything but 100-continue (RFC 9110, 10.1.1). */
export function refuseExpectations(server: Server, newId: () => string): void {
  server.on('checkExpectation', (_request, response) => {
    const body = problemBody(
      { code: 'invalid_request', detail: 'Expect: only 100-continue is known', more: {} },
      417,
      newId(),
    );
    const text = JSON.stringify(body);
    response.writeHead(417, {
      'content-type': PROBLEM_JSON,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    });
    response.end(text);
  });
}

/** For a connection for which there is no room. */
export function refuseConnection(newId: () => string, socket: Socket): void {
  socket.end(rawProblem(OVERLOADED, newId()), () => socket.destroy());
}

function rawProblem([status, code, detail]: readonly [number, string, string], requestId: string): string {
  const body = JSON.stringify(problemBody({ code, detail, more: {} }, status, requestId));
  return [
    `HTTP/1.1 ${status} ${titleOf(status)}`,
    `Content-Type: ${PROBLEM_JSON}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(status === 503 ? ['Retry-After: 5'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Node hangs the answer under way on the socket, under this name since its first releases. */
function hasBegunAnswer(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent?: boolean } | null };
  return answer?.headersSent === true;
}
