import type { Dispatcher } from 'undici';
import { type Clock, EgressRefused } from '#platform';
import { HttpFailure, type HttpFailureKind } from './http-failure.js';

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** By name, or name, value, name, value … */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string;
}

/** The names in lower case. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpExchangeOptions {
  readonly clock: Clock;
  /** Ends the exchange when it is aborted. */
  readonly signal?: AbortSignal;
  /** Of the answer's body, as it comes. */
  readonly maxBytes: number;
  /** Makes the caller's own error of a failure; absent: the failure itself is thrown. */
  readonly explain?: (failure: HttpFailure) => Error;
}

/** Read ahead of a slow reader at most; then the socket waits. */
const MAX_WAITING_BYTES = 256 * 1024;
/** A complete answer may take this long to close, so that its connection can be used again. */
const DRAIN_MS = 1_000;

/**
 * One HTTP request and its answer, right above undici's dispatcher: it tells whether the request had a connection to leave
 * by, on which it depends whether a call may be made again, and costs a fraction of `fetch` and web streams.
 * Owns the connection until the end of the answer, `abort` or `release`; the bytes that wait for the reader; one timer.
 * 1. It sends once, whatever comes back: redirects are answers like any other.
 * 2. It ends once: what ended it first is what everybody hears, and is kept as `failure`.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  /** 0: the head of the answer is not here. */
  status = 0;
  headers: HttpHeaders = {};
  /** What ended it before its time, as it is thrown. */
  failure: Error | undefined;
  private readonly ending = Promise.withResolvers<void>();
  /** Resolves when it is over, however it went. */
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
   * Resolves when the head of the answer is here.
   * @param headMs how long that may take
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

  /** Nobody reads it any more, and its connection is about to be free. */
  get isLeaving(): boolean {
    return this.isReleased || this.isEnded;
  }

  /** Of the answer; empty where it has none. */
  header(name: string): string {
    return String(this.headers[name] ?? '');
  }

  /**
   * All the bytes that have come, or the next that come; undefined at the end of the body.
   * @param silenceMs how long nothing may come
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

  /** Ends it at once: whoever waits hears `reason`. */
  abort(reason: Error): void {
    if (this.isEnded) return;
    this.waiting = [];
    this.fail(reason);
    this.controller?.abort(reason);
  }

  /** Ends it before it was sent: the egress guard does not let it out. */
  refuse(kind: 'forbidden' | 'unresolved', reason: string): void {
    this.abort(this.explained(kind, reason));
  }

  /** No more is read: what is left of the answer may come and go, for a moment. */
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

  /** Resolves when something has happened. The timer is set once for many waits and moved only when it goes off early. */
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
