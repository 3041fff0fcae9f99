import { Client, type Dispatcher, type Pool } from 'undici';
import { type Clock } from '#platform';
import { HttpExchange, type HttpFailure, PLAIN_CONNECTION } from '#http';
import { MalformedAnswer, type Refusal, ModelTimedOut } from './failures.js';
import { UnpackedBody } from './unpacked-body.js';

/** How connections to a model server are held. */
export const CONNECTION = { ...PLAIN_CONNECTION, connectTimeout: 10_000 } as const;

const maxErrorBytes = 64 * 1024;
/** No answer of a model is larger, so a server that goes on for ever is cut off. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** Where requests go on a server. */
export interface Endpoint {
  readonly url: URL;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
}

/** How an answer begins, whatever its status from 200 on. */
export type AnswerHead = Omit<Refusal, 'body'>;

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
  private exchange: HttpExchange | undefined;
  private own: Client | undefined;
  private unpacked: UnpackedBody | null | undefined;

  constructor(private readonly options: AnswerExchangeOptions) {}

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
      this.own = new Client(endpoint.url.origin, CONNECTION);
      return this.sendOn(this.own, endpoint, body);
    }
  }

  private async sendOn(dispatcher: Dispatcher, endpoint: Endpoint, body: string): Promise<AnswerHead> {
    const { clock, timeoutMs, signal } = this.options;
    const exchange = new HttpExchange({ clock, signal, maxBytes: maxAnswerBytes, explain });
    this.exchange = exchange;
    await exchange.send(dispatcher, { ...endpoint, method: 'POST', body }, timeoutMs);
    const { status, headers } = exchange;
    if (status > 599) {
      const failure = new MalformedAnswer(`the model server answered with status ${status}`);
      exchange.abort(failure);
      throw failure;
    }
    return { status, headers };
  }

  /** The next bytes of the body; undefined at its end. @throws what broke the exchange; ModelTimedOut; MalformedAnswer */
  async next(limitMs: number): Promise<Buffer | undefined> {
    const bytes = await this.exchange?.next(limitMs);
    if (bytes === undefined || this.unpacked === null) return bytes;
    this.unpacked ??= UnpackedBody.of(this.exchange?.headers['content-encoding'], bytes) ?? null;
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
    this.unpacked?.close();
    if (isComplete) this.exchange?.release();
    else this.exchange?.abort(new Error('the answer is no longer wanted'));
    // It ends with its answer.
    this.own?.close().catch(() => undefined);
  }
}

function explain({ kind, cause, limitMs }: HttpFailure): Error {
  if (kind === 'silent') return new ModelTimedOut(limitMs);
  if (kind === 'too_large') return new MalformedAnswer("the model server's answer does not end");
  if (kind === 'aborted') return new Error('aborted', { cause });
  return cause as Error;
}

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const isClosed = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && CLOSED.has(String(error.code));
