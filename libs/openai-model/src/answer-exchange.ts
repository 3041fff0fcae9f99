import { Client, type Dispatcher, type Pool } from 'undici';
import type { Clock } from '#platform';
import { type AnswerHead, type Endpoint, NetworkExchange } from './network-exchange.js';
import { UnpackedBody } from './unpacked-body.js';

/** How connections to a model server are held. */
export const CONNECTION = {
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  connectTimeout: 10_000,
} as const;

const maxErrorBytes = 64 * 1024;

export interface AnswerExchangeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * One request and its answer, unpacked. Owns the exchange on the wire; where a kept connection turns out to be closed, a
 * second one on a connection of its own.
 */
export class AnswerExchange {
  private exchange: NetworkExchange | undefined;
  private own: Client | undefined;
  private head: AnswerHead | undefined;
  private unpacked: UnpackedBody | null | undefined;
  private readonly stop: () => void;

  constructor(private readonly options: AnswerExchangeOptions) {
    const { signal } = options;
    this.stop = () => this.exchange?.abort(new Error('aborted', { cause: signal.reason }));
    signal.addEventListener('abort', this.stop, { once: true });
  }

  /** What ended the exchange before its time. */
  get failure(): Error | undefined {
    return this.exchange?.failure;
  }

  /**
   * Resolves when the head of the answer is here. A connection that is closed before a byte of the answer came was a kept
   * one that the server was just closing: then it is sent once more, on a new one.
   */
  async send(pool: Pool, endpoint: Endpoint, body: string): Promise<AnswerHead> {
    try {
      return await this.sendOn(pool, endpoint, body);
    } catch (error) {
      if (this.options.signal.aborted || !isClosed(error)) throw error;
      this.own = new Client(endpoint.origin, CONNECTION);
      return this.sendOn(this.own, endpoint, body);
    }
  }

  private async sendOn(dispatcher: Dispatcher, endpoint: Endpoint, body: string): Promise<AnswerHead> {
    const { clock, timeoutMs } = this.options;
    this.exchange = new NetworkExchange(dispatcher, clock, timeoutMs);
    this.head = await this.exchange.send(endpoint, body);
    return this.head;
  }

  /** The next bytes of the body; undefined at its end. @throws what broke the exchange; TimedOut; Nonsense */
  async next(limitMs: number): Promise<Buffer | undefined> {
    const bytes = await this.exchange?.next(limitMs);
    if (bytes === undefined || this.unpacked === null) return bytes;
    this.unpacked ??= UnpackedBody.of(this.head?.headers['content-encoding'], bytes) ?? null;
    return this.unpacked === null ? bytes : this.unpacked.feed(bytes);
  }

  /** The body as text, as much of it as an error message needs. */
  async text(): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    for (let part = await this.part(); part !== undefined; part = await this.part()) {
      parts.push(part);
      size += part.length;
      if (size > maxErrorBytes) break;
    }
    return Buffer.concat(parts).toString('utf8', 0, maxErrorBytes);
  }

  private part(): Promise<Buffer | undefined> {
    return this.next(this.options.timeoutMs);
  }

  /** No more is read. A complete answer may close by itself; any other is cut off. */
  release(isComplete: boolean): void {
    this.options.signal.removeEventListener('abort', this.stop);
    this.unpacked?.close();
    this.exchange?.release(isComplete);
    // It ends with its answer.
    this.own?.close().catch(() => undefined);
  }
}

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const isClosed = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && CLOSED.has(String(error.code));
