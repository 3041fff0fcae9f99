import type { Dispatcher } from 'undici';
import type { Clock } from '#platform';
import { MalformedAnswer, type Refusal, ModelTimedOut } from './failures.js';

/** Read ahead of a slow consumer at most; then the socket waits. */
const maxWaitingBytes = 256 * 1024;
/** No answer of a model is larger, so a server that goes on for ever is cut off. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** A complete answer may take this long to close, so that its connection can be used again. */
const drainMs = 1000;

/** Where requests go on a server. */
export interface Endpoint {
  readonly origin: string;
  readonly path: string;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
}

/** How an answer begins, whatever its status from 200 on. */
export type AnswerHead = Omit<Refusal, 'body'>;

/**
 * One request and its answer on the wire, right above undici's dispatcher: web streams and `fetch` cost twice the CPU of
 * everything else in a turn. Owns the connection until `release`, the bytes that wait for the reader, and one timer.
 */
export class NetworkExchange implements Dispatcher.DispatchHandler {
  /** What ended the exchange before its time. */
  failure: Error | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private head: AnswerHead | undefined;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private totalBytes = 0;
  private isEnded = false;
  private isReleased = false;
  private waiter: (() => void) | undefined;
  private cancelTimer: (() => void) | undefined;
  private timerAt = 0;
  private deadlineAt = 0;
  private limitMs = 0;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    private readonly headersMs: number,
  ) {}

  /** Sends the request; resolves when the headers of its answer are here. */
  async send({ path, headers }: Endpoint, body: string): Promise<AnswerHead> {
    this.dispatcher.dispatch({ path, method: 'POST', headers: headers as string[], body }, this);
    while (this.head === undefined) {
      if (this.failure !== undefined) throw this.failure;
      await this.arrival(this.headersMs);
    }
    return this.head;
  }

  /**
   * All the bytes that have come, or the next that come; undefined at the end of the body.
   * @throws what broke the exchange; TimedOut when nothing came for `limitMs`
   */
  async next(limitMs: number): Promise<Buffer | undefined> {
    while (this.waiting.length === 0 && !this.isEnded) await this.arrival(limitMs);
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

  /** Ends it at once: whoever waits hears `reason`. */
  abort(reason: Error): void {
    if (this.isEnded) return;
    this.waiting = [];
    this.fail(reason);
    this.controller?.abort(reason);
  }

  /** No more is read. A complete answer may close by itself; any other is cut off. */
  release(isComplete: boolean): void {
    this.isReleased = true;
    this.waiting = [];
    this.cancelTimer?.();
    if (this.isEnded) return;
    if (!isComplete) return this.abort(new Error('the answer is no longer wanted'));
    this.cancelTimer = this.clock.timer(drainMs, () => this.abort(new ModelTimedOut(drainMs)));
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure !== undefined) controller.abort(this.failure);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHead['headers'],
  ): void {
    if (status < 200) return;
    if (status > 599)
      return controller.abort(new MalformedAnswer(`the model server answered with status ${status}`));
    this.head = { status, headers };
    this.wake();
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.isReleased || this.failure !== undefined) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.totalBytes += bytes.length;
    if (this.totalBytes > maxAnswerBytes)
      return this.abort(new MalformedAnswer("the model server's answer does not end"));
    if (this.waitingBytes > maxWaitingBytes) controller.pause();
    this.wake();
  }

  onResponseEnd(): void {
    this.isEnded = true;
    if (this.isReleased) this.cancelTimer?.();
    this.wake();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
    if (this.isReleased) this.cancelTimer?.();
  }

  private fail(reason: Error): void {
    if (this.isEnded) return;
    this.failure = reason;
    this.isEnded = true;
    this.wake();
  }

  /** Resolves when something has happened. The timer is set once for many waits and moved only when it goes off early. */
  private arrival(limitMs: number): Promise<void> {
    this.limitMs = limitMs;
    this.deadlineAt = this.clock.now() + limitMs;
    if (this.cancelTimer === undefined || this.timerAt > this.deadlineAt) this.setTimer(limitMs);
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
    this.cancelTimer?.();
    this.timerAt = this.clock.now() + ms;
    this.cancelTimer = this.clock.timer(ms, () => {
      this.cancelTimer = undefined;
      // Nobody waits while the reader is busy: then the server is not to blame.
      if (this.waiter === undefined) return;
      const left = this.deadlineAt - this.clock.now();
      if (left > 0) this.setTimer(left);
      else this.abort(new ModelTimedOut(this.limitMs));
    });
  }
}
