import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './until.js';

/** A request as the receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly run: string;
  readonly sequence: number;
  readonly id: string;
}

/** What the receiver does with its n-th request, from 0; absent: 204. */
export type Reaction = (request: Received, response: ServerResponse, n: number) => void | Promise<void>;

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Reaction =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

export const resets: Reaction = (_, response) => {
  response.socket?.resetAndDestroy();
};

export const hangs: Reaction = () => undefined;

/** Headers and a body that never ends. */
export const streamsForEver: Reaction = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => response.write('and so on\n'), 20);
  response.once('close', () => clearInterval(timer));
};

/** A caller's own endpoint, over real HTTP, which does what the test says and keeps what it got. */
export class CallbackReceiver {
  readonly received: Received[] = [];
  private readonly server: Server;
  private readonly waiters = new Set<() => void>();

  private constructor(public react: Reaction) {
    this.server = createServer((incoming, response) => void this.take(incoming, response));
    this.server.keepAliveTimeout = 60_000;
  }

  static async start(react: Reaction = answers(204), port = 0): Promise<CallbackReceiver> {
    const receiver = new CallbackReceiver(react);
    receiver.server.listen(port, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  of(run: string): Received[] {
    return this.received.filter((request) => request.run === run);
  }

  /** Resolves when `isTrue`, which is looked at whenever a request has come. */
  async until(isTrue: (received: readonly Received[]) => boolean): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!isTrue(this.received)) {
      if (late.aborted) throw new Error(`waited in vain; ${this.received.length} requests came`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.waiters.delete(wake);
          late.removeEventListener('abort', wake);
          resolve();
        };
        this.waiters.add(wake);
        late.addEventListener('abort', wake, { once: true });
      });
    }
  }

  /** Resolves when the last event of the run has come. */
  ended(run: string): Promise<void> {
    return this.until((all) => all.some((r) => r.run === run && isEnd(r)));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url: path = '' } = incoming;
    let body = '';
    try {
      incoming.setEncoding('utf8');
      for await (const part of incoming) body += part as string;
    } catch {
      return;
    }
    const [run, id] = [String(headers['annals-run']), String(headers['webhook-id'])];
    const sequence = Number(headers['annals-sequence']);
    const request: Received = { path, headers, body, at: Date.now(), run, sequence, id };
    const n = this.received.push(request) - 1;
    await this.react(request, response, n);
    for (const wake of this.waiters) wake();
  }
}

const isEnd = ({ body }: Received): boolean => /^\{"type":"agent_(completed|error|cancelled)"/.test(body);
