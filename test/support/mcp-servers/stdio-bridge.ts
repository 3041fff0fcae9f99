import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

export interface StdioBridge {
  readonly url: string;
  close(): Promise<void>;
}

/** Offers a server that speaks over stdin and stdout by Streamable HTTP: one process for each session. */
export async function bridgeStdio(command: string, args: readonly string[]): Promise<StdioBridge> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const processes = new Set<StdioClientTransport>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    let front = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && front === undefined) return void response.writeHead(404).end();
    if (front === undefined) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, opened),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      const back = new StdioClientTransport({ command, args: [...args], stderr: 'ignore' });
      processes.add(back);
      await join(opened, back);
      front = opened;
    }
    await front.handleRequest(request, response);
  };
  const http = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      await Promise.all([...processes].map((back) => back.close()));
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

/** Passes on what each side says, unchanged. */
async function join(front: Transport, back: StdioClientTransport): Promise<void> {
  /** Which request a notification of progress belongs to, so that it takes the same stream. */
  const byToken = new Map<unknown, RequestId>();
  const fromFront = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) {
      const meta = message.params?.['_meta'] as { progressToken?: unknown } | undefined;
      if (meta?.progressToken !== undefined) byToken.set(meta.progressToken, message.id);
    }
    back.send(message).catch(() => front.close());
  };
  const fromBack = (message: JSONRPCMessage) => {
    const token = 'method' in message ? message.params?.['progressToken'] : undefined;
    const related = byToken.get(token);
    front.send(message, related === undefined ? {} : { relatedRequestId: related }).catch(() => undefined);
  };
  Object.assign(front, { onmessage: fromFront, onclose: () => void back.close() });
  Object.assign(back, { onmessage: fromBack, onclose: () => void front.close() });
  await back.start();
  await front.start();
}
