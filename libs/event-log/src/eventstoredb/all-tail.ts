import type { Clock, Logger, Random } from '#platform';
import type { StoredEvent } from '../codec.js';
import type { Position } from '../envelope.js';
import { checkedNumber, describe } from './answers.js';
import { Pause } from './pause.js';
import type { Reader } from './reader.js';
import type { ReadAnswer, ServerRecord } from './server-answers.js';
import type { AnswerCall } from './server-channel.js';

export interface TailListener {
  /** The next events of the whole log, in order, without a gap to those before. */
  heard(events: readonly StoredEvent[]): void;
  /** The subscription ended in a way that says that the server may be gone. */
  broken(): void;
}

/** The server drops a live subscriber whom it finds too slow with this code; a new subscription is the cure. */
const TOO_SLOW = 10;
const KEYS_RETRY_MS = 1_000;

/**
 * The one live subscription of a process to the whole log. Owns the place up to which the log was heard.
 * 1. Only the call of the current generation is heard: one that was dropped may still deliver.
 * 2. What is not after the last heard position is dropped, so nothing comes twice.
 * 3. Being dropped is the normal case under a burst: it goes on after the last position, at once if anything had come.
 */
export class AllTail {
  private generation = 0;
  private call: AnswerCall<ReadAnswer> | null = null;
  /** Not handed over yet. */
  private heard: ServerRecord[] = [];
  private isFlushing = false;
  private position: Position = 0;
  private lostAt: number | null = null;
  private trouble = '';
  private readonly stopping = new AbortController();
  private pause: Pause;
  /** How often the server has dropped it, for a metric and the tests. */
  drops = 0;

  constructor(
    private readonly reader: Reader,
    private readonly listener: TailListener,
    private readonly ports: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
    private readonly scrub: (text: string) => string,
  ) {
    this.pause = new Pause(ports.clock, ports.random);
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
    this.generation += 1;
    this.call?.cancel();
    this.call = null;
  }

  private async subscribe(): Promise<void> {
    this.generation += 1;
    const { generation } = this;
    try {
      const call = await this.reader.follow(this.heard.at(-1)?.position ?? this.position);
      // Invariant 1.
      const ifCurrent = (act: () => void) => () => void (generation === this.generation && act());
      call.on('error', (error) => ifCurrent(() => this.ended(error))());
      call.on(
        'end',
        ifCurrent(() => this.ended(new Error('the server ended the subscription'))),
      );
      call.on('data', (answer) => ifCurrent(() => this.take(answer))());
      this.call = call;
      if (generation !== this.generation) call.cancel();
    } catch (error) {
      if (generation === this.generation) this.ended(error);
    }
  }

  private take(answer: ReadAnswer): void {
    // A confirmation or an event: it works.
    this.lostAt = null;
    if (answer.record === null) return;
    const record = this.reader.recordOf(answer);
    // Invariant 2.
    if (record === undefined || record.position <= (this.heard.at(-1)?.position ?? this.position)) return;
    try {
      checkedNumber(record.position);
      checkedNumber(record.revision);
    } catch (error) {
      return this.ended(error);
    }
    this.pause = new Pause(this.ports.clock, this.ports.random);
    this.heard.push(record);
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.ports.clock.soon(() => this.flush());
  }

  private flush(): void {
    if (this.heard.length === 0 || this.stopping.signal.aborted) {
      this.isFlushing = false;
      return;
    }
    const events = this.reader.events(this.heard);
    if (Array.isArray(events)) this.deliver(events);
    else
      void events.then(
        (opened) => this.deliver(opened),
        (error: unknown) => this.wait(error),
      );
  }

  /** Events of the records that were heard first. */
  private deliver(events: readonly StoredEvent[]): void {
    this.heard = this.heard.slice(events.length);
    this.isFlushing = false;
    if (this.stopping.signal.aborted) return;
    this.position = events.at(-1)!.position;
    this.listener.heard(events);
    if (this.heard.length === 0 || this.isFlushing) return;
    this.isFlushing = true;
    this.ports.clock.soon(() => this.flush());
  }

  /** The keys of what was heard cannot be asked for now. */
  private wait(error: unknown): void {
    this.ports.logger.warn(
      { detail: this.scrub(describe(error)) },
      'what is heard of the log cannot be opened yet',
    );
    this.ports.clock.timer(KEYS_RETRY_MS, () => this.flush());
  }

  /** Invariant 3. */
  private ended(error: unknown): void {
    this.generation += 1;
    this.call?.cancel();
    this.call = null;
    if (this.stopping.signal.aborted) return;
    const isTooSlow = (error as { code?: unknown }).code === TOO_SLOW;
    this.drops += 1;
    if (!isTooSlow) {
      this.lostAt ??= this.ports.clock.now();
      this.trouble = this.scrub(describe(error));
      this.listener.broken();
    }
    void this.resume(isTooSlow && this.pause.count === 0);
  }

  private async resume(atOnce: boolean): Promise<void> {
    const { pause } = this;
    if (atOnce) pause.count += 1;
    else await pause.wait(this.stopping.signal);
    if (!this.stopping.signal.aborted) await this.subscribe();
  }
}
