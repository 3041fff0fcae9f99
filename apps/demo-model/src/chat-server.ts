import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BadRequest, type ChatRequest, parseChatRequest } from './chat-request.js';

/** One call of `POST /v1/chat/completions`. */
export interface ChatExchange {
  readonly request: ChatRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client goes away, or the server closes, before the answer is complete. */
  readonly gone: AbortSignal;
}

export interface ChatServer {
  /** What belongs into OPENAI_BASE_URL: ends in `/v1`. */
  readonly url: string;
  /** Cuts every open connection. */
  close(): Promise<void>;
}

export interface ChatServerOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  readonly models: readonly string[];
  readonly answer: (exchange: ChatExchange) => Promise<void>;
}

const maxBodyBytes = 64 * 1024 * 1024;

/** The outside that the demo model and the scripted model have in common: HTTP, routes, and errors as OpenAI words them. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const host = options.host ?? '127.0.0.1';
  const server = createServer({ keepAliveTimeout: 75_000, noDelay: true }, (incoming, response) => {
    route(options, incoming, response).catch((error: unknown) => refuse(response, error));
  });
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Writes an error in OpenAI's shape, or cuts the answer if it has begun. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const bad = error instanceof BadRequest ? error : undefined;
  sendJson(response, bad?.status ?? 500, {
    error: {
      message: bad?.message ?? 'The server had an error while processing your request.',
      type: bad === undefined ? 'server_error' : 'invalid_request_error',
      param: bad?.param ?? null,
      code: null,
    },
  });
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function route(
  options: ChatServerOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (incoming.url ?? '').split('?')[0] ?? '';
  const is = (method: string, end: string) => incoming.method === method && path === `/v1${end}`;
  if (is('GET', '/models'))
    return sendJson(response, 200, { object: 'list', data: options.models.map(modelEntry) });
  if (!is('POST', '/chat/completions'))
    throw new BadRequest(`Invalid URL (${incoming.method} ${path})`, null, 404);
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const request = parseChatRequest(await readBody(incoming));
  await options.answer({ request, incoming, response, gone: gone.signal });
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > maxBodyBytes) throw new BadRequest('Request too large.', null, 413);
  }
  return Buffer.concat(parts).toString('utf8');
}

const modelEntry = (id: string): object => ({
  id,
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'annals',
});

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
