import type { Clock } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import { type Listener, givenToAll } from './listener.js';
import { weightOf } from './weight.js';

/** Subscribers hear of events that are not for them at least this often, so that their checkpoints move. */
const TICK_MS = 10;
/** A tail that is too large is cut to this part, so that what stays is not moved for every event that comes. */
const CUT_TO = 7 / 8;

export interface LogListener extends Listener {
  tick(): void;
}

/**
 * The last events of the whole log in order of position, held once for all subscribers.
 * 1. It holds every event after `from`; who stands before `from` reads the log.
 * 2. An event has a place that never changes: places count up from 0.
 * 3. What all who listen were given goes when the next events come, unless more stays: so most events are garbage while
 *    they are young, which costs the collector nothing.
 */
export class LogTail {
  readonly listeners = new Set<LogListener>();
  from: Position = Number.MAX_SAFE_INTEGER;
  private events: RecordedEvent[] = [];
  private dropped = 0;
  private bytes = 0;
  private isTicking = false;

  constructor(
    private readonly maxBytes: number,
    private readonly clock: Clock,
  ) {}

  startAfter(position: Position): void {
    this.from = position;
    this.dropped += this.events.length;
    this.events = [];
    this.bytes = 0;
  }

  /** Position of the last event that was added, or from which on they are. */
  get heardUpTo(): Position {
    return this.events.at(-1)?.position ?? this.from;
  }

  get endPlace(): number {
    return this.dropped + this.events.length;
  }

  at(place: number): RecordedEvent {
    return this.events[place - this.dropped]!;
  }

  /** Place of the first event after `position`; of the first that it holds, where that is before `from`. */
  placeAfter(position: Position): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.position > position) high = middle;
      else low = middle + 1;
    }
    return this.dropped + low;
  }

  add(events: readonly RecordedEvent[]): void {
    this.dropGiven();
    for (const event of events) {
      this.events.push(event);
      this.bytes += weightOf(event);
    }
    if (this.bytes > this.maxBytes) this.cut();
  }

  /** Not before as many go as stay and are moved for it. */
  private dropGiven(): void {
    const given = this.placeAfter(givenToAll(this.listeners)) - this.dropped;
    if (given * 2 >= this.events.length) this.dropOldest(given);
  }

  private cut(): void {
    let count = 0;
    for (let left = this.bytes; left > this.maxBytes * CUT_TO; count++) left -= weightOf(this.events[count]!);
    this.dropOldest(count);
  }

  /** In place: the old array of a copy would outlive its use, and keep what it held. */
  private dropOldest(count: number): void {
    for (const event of this.events.splice(0, count)) {
      this.from = event.position;
      this.bytes -= weightOf(event);
    }
    this.dropped += count;
  }

  /** Holds only what came after the last of these events. */
  forget(isGone: (event: RecordedEvent) => boolean): void {
    this.dropOldest(this.events.findLastIndex(isGone) + 1);
  }

  wake(): void {
    for (const listener of this.listeners) listener.wake();
  }

  /** Somebody has passed events that were not for him: soon he shall say how far. */
  tickSoon(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    this.clock.timer(TICK_MS, () => {
      this.isTicking = false;
      for (const listener of this.listeners) listener.tick();
    });
  }
}
