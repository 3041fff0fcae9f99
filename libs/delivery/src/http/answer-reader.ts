import type { Dispatcher } from 'undici';
import type { SendOutcome } from '../callbacks/callback-sender.js';

/** Of an answer's body is kept, and read so that the connection can be used again. */
const KEPT_BYTES = 2 * 1024;
const READ_BYTES = 16 * 1024;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads an answer as far as anybody needs it, right above undici's dispatcher. Owns the request until it has settled. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>;
  private readonly settle: (outcome: SendOutcome) => void;
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private headers: Headers = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private reason: string | null = null;
  private cancelPatience: (() => void) | null = null;

  /** @param bePatient is called when the status is here; returns what ends the wait for the body. */
  constructor(
    private readonly explain: (error: unknown) => string,
    private readonly bePatient: (reader: AnswerReader) => () => void,
  ) {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    this.outcome = promise;
    this.settle = resolve;
  }

  /** No more is waited for: what is there counts, and nothing there is a failure for this reason. */
  giveUp(reason: string): void {
    this.reason ??= reason;
    this.finish(reason);
    this.controller?.abort(new Error(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.reason !== null) controller.abort(new Error(this.reason));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.cancelPatience = this.bePatient(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.bytes < KEPT_BYTES) this.chunks.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - this.bytes)));
    this.bytes += chunk.length;
    if (this.bytes > READ_BYTES) this.giveUp('the answer is too long');
  }

  onResponseEnd(): void {
    this.finish('there was no answer');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.finish(this.explain(error));
  }

  private finish(reason: string): void {
    this.cancelPatience?.();
    if (this.status === null) return this.settle({ kind: 'failed', reason });
    const retryAfter = this.headers['retry-after'];
    this.settle({
      kind: 'answered',
      status: this.status,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
      body: beginningOf(this.chunks),
    });
  }
}

/** A character that the cut went through is left out. */
const beginningOf = (chunks: readonly Buffer[]): string =>
  new TextDecoder('utf-8').decode(Buffer.concat(chunks), { stream: true });
