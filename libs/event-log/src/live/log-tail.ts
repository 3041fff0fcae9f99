import type { Clock } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import { type Listener, givenToAll } from './listener.js';
import { weightOf } from './weight.js';

/** Interval (ms) at which subscribers are told of events they filter out, so that their checkpoints move. */
const TICK_MS = 10;
/** Fraction that an overfull tail is trimmed to, so that the rest is not moved for every event. */
const CUT_TO = 7 / 8;

export interface LogListener extends Listener {
  tick(): void;
}

/**
 * The most recent events of the whole log in order of position, shared by all subscribers.
 * 1. It holds every event after `from`; a subscriber behind `from` reads the log.
 * 2. An event's index never changes: indexes count up from 0.
 * 3. What all listeners have got is dropped when the next events come, unless more would stay than go: so
 *    most events die young, which is cheap for the garbage collector.
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

  /** Position of the last event added, or of the start. */
  get heardUpTo(): Position {
    return this.events.at(-1)?.position ?? this.from;
  }

  get endPlace(): number {
    return this.dropped + this.events.length;
  }

  at(place: number): RecordedEvent {
    return this.events[place - this.dropped]!;
  }

  /** Index of the first event after `position`; of the oldest one held, where `position` is further back. */
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

  /** Only once as many can be dropped as must be moved. */
  private dropGiven(): void {
    const given = this.placeAfter(givenToAll(this.listeners)) - this.dropped;
    if (given * 2 >= this.events.length) this.dropOldest(given);
  }

  private cut(): void {
    let count = 0;
    for (let left = this.bytes; left > this.maxBytes * CUT_TO; count++) left -= weightOf(this.events[count]!);
    this.dropOldest(count);
  }

  /** In place, for a copy's old array would stay reachable and keep its events. */
  private dropOldest(count: number): void {
    for (const event of this.events.splice(0, count)) {
      this.from = event.position;
      this.bytes -= weightOf(event);
    }
    this.dropped += count;
  }

  /** Drops everything up to the last of these events. */
  forget(isGone: (event: RecordedEvent) => boolean): void {
    this.dropOldest(this.events.findLastIndex(isGone) + 1);
  }

  wake(): void {
    for (const listener of this.listeners) listener.wake();
  }

  /** A subscriber has skipped events by its filter: report its position soon. */
  tickSoon(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    this.clock.timer(TICK_MS, () => {
      this.isTicking = false;
      for (const listener of this.listeners) listener.tick();
    });
  }
}
