import type { Dispatcher } from 'undici';
import { type Clock, EgressRefused } from '#platform';
import { HttpFailure, type HttpFailureKind } from './http-failure.js';

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As an object, or as a flat list of name, value, name, value … */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string;
}

/** The names in lower case. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpExchangeOptions {
  readonly clock: Clock;
  /** Aborts the exchange. */
  readonly signal?: AbortSignal;
  /** Limit of the response body as transferred. */
  readonly maxBytes: number;
  /** Maps a failure to the caller's own error; absent: HttpFailure is thrown. */
  readonly explain?: (failure: HttpFailure) => Error;
}

/** Bytes buffered for a slow reader; beyond that the socket is paused (back-pressure). */
const MAX_WAITING_BYTES = 256 * 1024;
/** Time (ms) for the rest of an unread response to arrive, so that its connection can be reused. */
const DRAIN_MS = 1_000;

/**
 * One HTTP request and its response, on undici's dispatcher. Unlike `fetch` it tells whether the request was sent, on
 * which depends whether a retry is safe, and it costs a fraction. Owns the connection until the response ends,
 * `abort` or `release`; the buffered bytes; one timer.
 * 1. It sends once: redirects are not followed.
 * 2. It ends once: the first cause is what all waiters get, and is kept as `failure`.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  /** 0 until the headers have arrived. */
  status = 0;
  headers: HttpHeaders = {};
  /** What ended it early, as thrown. */
  failure: Error | undefined;
  private readonly ending = Promise.withResolvers<void>();
  /** Resolves at its end, whatever the outcome. */
  readonly over = this.ending.promise;
  private controller: Dispatcher.DispatchController | undefined;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private totalBytes = 0;
  private isSent = false;
  private isEnded = false;
  private isReleased = false;
  private waiter: (() => void) | undefined;
  private cancelTimer: (() => void) | undefined;
  private timerAt = 0;
  private deadlineAt = 0;
  private limitMs = 0;

  constructor(private readonly options: HttpExchangeOptions) {
    const { signal } = options;
    if (signal?.aborted === true) this.stop();
    else signal?.addEventListener('abort', this.stop, { once: true });
  }

  /**
   * Resolves when status and headers have arrived.
   * @param headMs time limit for that
   * @throws HttpFailure, or what `explain` makes of it
   */
  async send(dispatcher: Dispatcher, request: HttpRequest, headMs = Infinity): Promise<void> {
    const { origin, pathname, search } = request.url;
    const { method, headers, body = null } = request;
    const asked = { origin, path: pathname + search, method, headers: headers as string[], body };
    try {
      if (!this.isEnded) dispatcher.dispatch(asked, this);
    } catch (error) {
      this.fail(this.ofConnection(error));
    }
    while (this.status === 0) {
      if (this.failure !== undefined) throw this.failure;
      await this.arrival(headMs);
    }
  }

  /** Released, and its connection is about to be free. */
  get isLeaving(): boolean {
    return this.isReleased || this.isEnded;
  }

  /** A response header; empty where it is missing. */
  header(name: string): string {
    return String(this.headers[name] ?? '');
  }

  /**
   * The buffered bytes, or the next that arrive; undefined at the end of the body.
   * @param silenceMs longest wait without any bytes
   * @throws HttpFailure, or what `explain` makes of it
   */
  async next(silenceMs = Infinity): Promise<Buffer | undefined> {
    while (this.waiting.length === 0 && !this.isEnded) await this.arrival(silenceMs);
    if (this.waiting.length === 0) {
      if (this.failure !== undefined) throw this.failure;
      return undefined;
    }
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    // More may come, and pause again, before this returns.
    this.controller?.resume();
    return waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
  }

  /** The whole body, of at most so many bytes. @throws HttpFailure, or what `explain` makes of it */
  async text(maxBytes: number): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    for (let part = await this.next(); part !== undefined; part = await this.next()) {
      size += part.length;
      if (size > maxBytes) {
        const failure = this.explained('too_large', 'the answer is too large');
        this.abort(failure);
        throw failure;
      }
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  /** Aborts: waiters are rejected with `reason`. */
  abort(reason: Error): void {
    if (this.isEnded) return;
    this.waiting = [];
    this.fail(reason);
    this.controller?.abort(reason);
  }

  /** Fails it unsent: refused by the egress guard. */
  refuse(kind: 'forbidden' | 'unresolved', reason: string): void {
    this.abort(this.explained(kind, reason));
  }

  /** Stops reading: the rest of the response is drained for a moment, so that the connection can be reused. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.waiting = [];
    if (this.isEnded) return;
    this.cancelTimer?.();
    this.cancelTimer = this.options.clock.timer(DRAIN_MS, this.stop);
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure !== undefined) controller.abort(this.failure);
    else this.isSent = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.wake();
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.isReleased || this.isEnded) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.totalBytes += bytes.length;
    if (this.totalBytes > this.options.maxBytes)
      return this.abort(this.explained('too_large', 'the answer is too large'));
    if (this.waitingBytes > MAX_WAITING_BYTES) controller.pause();
    this.wake();
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(this.ofConnection(error));
  }

  private readonly stop = (): void =>
    this.abort(this.explained('aborted', 'nobody waits for the answer any longer'));

  private ofConnection(error: unknown): Error {
    const refused = [error, (error as Error).cause].find((each) => each instanceof EgressRefused);
    if (refused !== undefined) return this.explained('forbidden', refused.message);
    return this.explained('connection', 'the connection failed', { cause: error });
  }

  private explained(
    kind: HttpFailureKind,
    message: string,
    more: { readonly cause?: unknown; readonly limitMs?: number } = {},
  ): Error {
    const { signal, explain } = this.options;
    const cause = kind === 'aborted' ? signal?.reason : more.cause;
    const failure = new HttpFailure(kind, this.isSent, message, { ...more, cause });
    return explain === undefined ? failure : explain(failure);
  }

  /** Invariant 2. */
  private fail(reason: Error): void {
    if (this.isEnded) return;
    this.failure = reason;
    this.end();
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.cancelTimer?.();
    this.options.signal?.removeEventListener('abort', this.stop);
    this.ending.resolve();
    this.wake();
  }

  /** Resolves at the next event. The timer is set once for many waits, and moved only when it fires early. */
  private arrival(limitMs: number): Promise<void> {
    this.limitMs = limitMs;
    if (limitMs !== Infinity) {
      this.deadlineAt = this.options.clock.now() + limitMs;
      if (this.cancelTimer === undefined || this.timerAt > this.deadlineAt) this.setTimer(limitMs);
    }
    return new Promise((resolve) => {
      this.waiter = resolve;
    });
  }

  private wake(): void {
    const { waiter } = this;
    this.waiter = undefined;
    waiter?.();
  }

  private setTimer(ms: number): void {
    const { clock } = this.options;
    this.cancelTimer?.();
    this.timerAt = clock.now() + ms;
    this.cancelTimer = clock.timer(ms, () => {
      this.cancelTimer = undefined;
      // Nobody waits while the reader is busy: then the other side is not to blame.
      if (this.waiter === undefined || this.limitMs === Infinity) return;
      const { limitMs } = this;
      const left = this.deadlineAt - clock.now();
      if (left > 0) this.setTimer(left);
      else this.abort(this.explained('silent', `nothing came for ${limitMs} ms`, { limitMs }));
    });
  }
}
