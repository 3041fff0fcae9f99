import { Backoff, type Clock, type Logger, type Random } from '#platform';
import type { Position } from '#event-log';
import { checkedNumber, describe, isTooSlow } from './answers.js';
import type { GrpcCall } from './grpc/grpc-call.js';
import type { Reader } from './reader.js';
import { readAnswer, type ServerRecord } from './server-answers.js';
import { RECONNECT_PAUSES } from './reconnect-pauses.js';

export interface TailListener {
  /** The next records of the whole log, in order, without a gap to those before. */
  heard(records: readonly ServerRecord[]): void;
  /** The subscription ended in a way that says that the server may be gone. */
  broken(): void;
  /** Whether anything can be heard, or how often it was dropped. */
  changed(): void;
}

/**
 * The process's one live subscription to `$all`. Owns the position up to which it has received.
 * 1. Only the current generation's call is heard: a dropped one may still deliver.
 * 2. Events at or before the last position are dropped, so nothing comes twice.
 * 3. A subscription that is not confirmed in time is abandoned.
 * 4. Being dropped by the server is normal under a burst: it resumes after the last position, at once if anything had
 *    come.
 * 5. While held (back-pressure) nothing is read from the call: the server waits, or drops it.
 */
export class AllTail {
  private generation = 0;
  private call: GrpcCall | null = null;
  private stopWaiting: () => void = () => undefined;
  /** Not handed over yet. */
  private heard: ServerRecord[] = [];
  private isFlushing = false;
  private isHeld = false;
  private position: Position = 0;
  private lostAt: number | null = null;
  private trouble = '';
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  /** How often the server has dropped it, for a metric and the tests. */
  drops = 0;

  constructor(
    private readonly reader: Reader,
    private readonly listener: TailListener,
    private readonly ports: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
    private readonly options: {
      readonly scrub: (text: string) => string;
      /** The server confirms a subscription at once. */
      readonly confirmTimeoutMs: number;
    },
  ) {
    this.backoff = new Backoff(ports.clock, RECONNECT_PAUSES, ports.random);
  }

  /** Every event up to here was handed over. */
  get heardUpTo(): Position {
    return this.position;
  }

  /** Since when nothing can be heard, and why; null while it can. */
  get silence(): { readonly since: number; readonly detail: string } | null {
    return this.lostAt === null ? null : { since: this.lostAt, detail: this.trouble };
  }

  start(after: Position): void {
    this.position = after;
    void this.subscribe();
  }

  stop(): void {
    this.stopping.abort();
    this.stopWaiting();
    this.generation += 1;
    this.call?.cancel();
    this.call = null;
  }

  /** Invariant 5. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) this.call?.pause();
    else this.call?.resume();
  }

  private async subscribe(): Promise<void> {
    this.generation += 1;
    const { generation } = this;
    const isCurrent = (): boolean => generation === this.generation;
    const { confirmTimeoutMs } = this.options;
    // Invariant 3.
    this.stopWaiting = this.ports.clock.timer(confirmTimeoutMs, () => {
      if (isCurrent()) this.ended(new Error(`no confirmation for ${confirmTimeoutMs} ms`));
    });
    try {
      // Invariant 1.
      const call = await this.reader.follow(this.heard.at(-1)?.position ?? this.position, {
        messages: (messages) => void (isCurrent() && this.take(messages)),
        ended: (error) =>
          void (isCurrent() && this.ended(error ?? new Error('the server ended the subscription'))),
      });
      if (!isCurrent()) return call.cancel();
      this.call = call;
      if (this.isHeld) call.pause();
    } catch (error) {
      if (isCurrent()) this.ended(error);
    }
  }

  private take(messages: readonly Buffer[]): void {
    // A confirmation or an event: it works.
    this.stopWaiting();
    if (this.lostAt !== null) {
      this.lostAt = null;
      this.listener.changed();
    }
    let last = this.heard.at(-1)?.position ?? this.position;
    try {
      for (const message of messages) {
        const record = this.reader.recordOf(readAnswer(message));
        // Invariant 2.
        if (record === undefined || record.position <= last) continue;
        checkedNumber(record.revision);
        last = checkedNumber(record.position);
        this.heard.push(record);
      }
    } catch (error) {
      return this.ended(error);
    }
    if (this.heard.length === 0) return;
    this.backoff.reset();
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.ports.clock.soon(() => this.flush());
  }

  private flush(): void {
    this.isFlushing = false;
    const { heard } = this;
    if (heard.length === 0 || this.stopping.signal.aborted) return;
    this.heard = [];
    this.position = heard.at(-1)!.position;
    this.listener.heard(heard);
  }

  /** Invariant 4. */
  private ended(error: unknown): void {
    this.generation += 1;
    this.stopWaiting();
    this.call?.cancel();
    this.call = null;
    if (this.stopping.signal.aborted) return;
    const isBurst = isTooSlow(error);
    this.drops += 1;
    if (!isBurst) {
      this.lostAt ??= this.ports.clock.now();
      this.trouble = this.options.scrub(describe(error));
      this.listener.broken();
    }
    this.listener.changed();
    void this.resume(isBurst && this.backoff.count === 0);
  }

  private async resume(atOnce: boolean): Promise<void> {
    if (atOnce) this.backoff.skip();
    else await this.backoff.wait(this.stopping.signal);
    if (!this.stopping.signal.aborted) await this.subscribe();
  }
}
