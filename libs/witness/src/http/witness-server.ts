import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '#platform';
import { MAX_BODY_BYTES } from '../add-checkpoint.js';
import type { Witness } from '../witness.js';

const TEXT = 'text/plain; charset=utf-8';
const SIZE = 'text/x.tlog.size';
const MAX_CONNECTIONS = 512;
const REQUEST_MS = 15_000;
const IDLE_MS = 65_000;
/** What is being answered has so long until a stop closes its connection. */
const GRACE_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A witness over HTTP: `POST /add-checkpoint` and `GET /<hash of an origin>/checkpoint`. Owns the server. */
export class WitnessServer {
  private readonly server: Server;
  private readonly stopping = new AbortController();

  private constructor(
    private readonly witness: Witness,
    private readonly logger: Logger,
  ) {
    const times = {
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: 1_000,
    };
    this.server = createServer(times, (request, response) => void this.answer(request, response));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws the system's error where it cannot listen there */
  static async open(
    witness: Witness,
    at: { readonly host: string; readonly port: number },
    logger: Logger,
  ): Promise<WitnessServer> {
    const opened = new WitnessServer(witness, logger);
    await new Promise<void>((resolve, reject) => {
      opened.server.once('error', reject).listen(at.port, at.host, () => {
        opened.server.off('error', reject);
        resolve();
      });
    });
    return opened;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Leaves that are being read are let go; what is answered already is sent. */
  async close(): Promise<void> {
    this.stopping.abort();
    const cut = setTimeout(() => this.server.closeAllConnections(), GRACE_MS);
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
    });
    clearTimeout(cut);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.answerTo(request);
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      this.logger.error({ err: error }, 'a request could not be answered');
      answer = { status: 500, body: 'this could not be answered\n' };
    }
    const { status, body, type = TEXT, headers = {} } = answer;
    const isOver = this.stopping.signal.aborted || !request.complete;
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(isOver && { connection: 'close' }),
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  private async answerTo(request: IncomingMessage): Promise<Answer> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (path === '/add-checkpoint') return request.method === 'POST' ? this.add(request) : notAllowed('POST');
    const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? [];
    if (originHash === undefined) return { status: 404, body: 'there is nothing here\n' };
    if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET, HEAD');
    const note = this.witness.latest(originHash);
    return note === null
      ? { status: 404, body: 'no checkpoint of such a log was cosigned\n' }
      : { status: 200, body: note };
  }

  private async add(request: IncomingMessage): Promise<Answer> {
    const body = await bodyOf(request);
    if (body === null) return { status: 400, body: `the request has more than ${MAX_BODY_BYTES} bytes\n` };
    const { status, isSize, body: said } = await this.witness.add(body, this.stopping.signal);
    const headers = status === 503 ? { 'retry-after': '5' } : {};
    return { status, body: said, type: isSize ? SIZE : TEXT, headers };
  }
}

const notAllowed = (allow: string): Answer => ({
  status: 405,
  body: 'this is asked in another way\n',
  headers: { allow },
});

/** null: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
