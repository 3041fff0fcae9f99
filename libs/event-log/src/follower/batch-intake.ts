import type { Clock } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import type { Batch } from '../event-log.js';

/** Bound on JSON characters of a batch, unless one event alone has more: keeps memory bounded. */
const MAX_CHARS = 8 * 1024 * 1024;

/**
 * Merges a subscription's batches into larger ones. Owns what was pulled and not yet taken.
 * 1. It pulls only while less than a full batch is buffered (back-pressure).
 * 2. A batch is ready when it is full (events or characters), when its oldest event has waited `batchMs`, or
 *    when a flush was requested (`hurryTo`).
 */
export class BatchIntake {
  private readonly iterator: AsyncIterator<Batch>;
  private events: RecordedEvent[] = [];
  /** Characters buffered. */
  private chars = 0;
  private upTo: Position;
  private takenTo: Position;
  private hurriedTo: Position = 0;
  private isPulling = false;
  private isDue = false;
  private end: { error: unknown } | null = null;
  private cancelTimer: (() => void) | null = null;
  private notify: (() => void) | null = null;

  constructor(
    subscription: AsyncIterable<Batch>,
    after: Position,
    private readonly clock: Clock,
    private readonly batchMs: number,
  ) {
    this.iterator = subscription[Symbol.asyncIterator]();
    this.upTo = after;
    this.takenTo = after;
  }

  /** Writer's time of the oldest buffered event (ms since 1970). */
  get oldest(): number | undefined {
    return this.events[0]?.time;
  }

  /** Requests a flush: up to this position, events do not wait for a fuller batch. */
  hurryTo(position: Position): void {
    this.hurriedTo = Math.max(this.hurriedTo, position);
    this.notify?.();
  }

  /** The next batch of at most `max` events; null when the subscription has ended. One call at a time. */
  async take(max: number): Promise<Batch | null> {
    while (!this.isReady(max)) {
      if (this.end !== null && this.upTo === this.takenTo) return this.finish();
      if (this.end === null) this.pull();
      await new Promise<void>((resolve) => (this.notify = resolve));
      this.notify = null;
    }
    const events = this.events.splice(0, this.count(max));
    for (const { json } of events) this.chars -= json.length;
    this.takenTo = this.events.length === 0 ? this.upTo : events.at(-1)!.position;
    this.isDue = false;
    this.cancelTimer?.();
    this.cancelTimer = null;
    // What is left has waited long enough already.
    if (this.events.length > 0) this.isDue = true;
    return { events, position: this.takenTo };
  }

  close(): void {
    this.cancelTimer?.();
    void this.iterator.return?.();
  }

  private finish(): null {
    const error = this.end?.error;
    if (error !== undefined) throw error;
    return null;
  }

  private isReady(max: number): boolean {
    if (this.upTo === this.takenTo) return false;
    const isFull = this.events.length >= max || this.chars >= MAX_CHARS;
    return isFull || this.isDue || this.takenTo < this.hurriedTo || this.end !== null;
  }

  /** Size of the next batch. */
  private count(max: number): number {
    if (this.chars < MAX_CHARS) return max;
    let [count, chars] = [0, 0];
    for (const { json } of this.events) {
      chars += json.length;
      if (count > 0 && (count === max || chars > MAX_CHARS)) break;
      count += 1;
    }
    return count;
  }

  private pull(): void {
    if (this.isPulling) return;
    this.isPulling = true;
    this.iterator.next().then(
      (result) => this.pulled(result),
      (error: unknown) => this.pulled({ done: true, value: undefined }, error),
    );
  }

  private pulled(result: IteratorResult<Batch>, error?: unknown): void {
    this.isPulling = false;
    if (result.done === true) this.end = { error };
    else {
      this.upTo = result.value.position;
      for (const event of result.value.events) {
        this.events.push(event);
        this.chars += event.json.length;
      }
      this.cancelTimer ??= this.clock.timer(this.batchMs, () => {
        this.isDue = true;
        this.notify?.();
      });
    }
    this.notify?.();
  }
}
