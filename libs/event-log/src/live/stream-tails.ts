import type { StreamName } from '#domain';
import { TransientMap } from '#platform';
import type { RecordedEvent, Revision } from '../envelope.js';
import { type Listener, givenToAll } from './listener.js';
import { weightOf } from './weight.js';

const UNKNOWN = -1;
/** One stream may hold at most 1/SHARE_OF_ONE of the memory of all. */
const SHARE_OF_ONE = 8;

/** The most recent events of one stream, contiguous, and its listeners. */
export class StreamTail {
  readonly listeners = new Set<Listener>();
  bytes = 0;
  /** Revision after the last known one; UNKNOWN until an event came. */
  private next: Revision = UNKNOWN;
  private events: RecordedEvent[] = [];
  private latest: readonly RecordedEvent[] = [];

  /** What follows `after`, if the tail holds it. */
  after(after: Revision): readonly RecordedEvent[] | undefined {
    if (this.latest.length > 0 && this.latest[0]!.revision === after + 1) return this.latest;
    const first = this.next - this.events.length;
    if (after + 1 < first || after + 1 >= this.next) return undefined;
    return this.events.slice(after + 1 - first);
  }

  /** Whether there is something after `after`; undefined where nothing is known. */
  goesBeyond(after: Revision): boolean | undefined {
    return this.next === UNKNOWN ? undefined : this.next > after + 1;
  }

  add(events: readonly RecordedEvent[]): void {
    const fresh =
      events[0]!.revision < this.next ? events.filter((event) => event.revision >= this.next) : events;
    const [head] = fresh;
    if (head === undefined) return;
    if (head.revision === this.next) this.dropGiven();
    else this.drop();
    for (const event of fresh) {
      this.events.push(event);
      this.bytes += weightOf(event);
    }
    this.latest = fresh;
    this.next = head.revision + fresh.length;
  }

  /** Drops the older half. */
  halve(): void {
    this.dropOldest(Math.ceil(this.events.length / 2));
    if (this.events.length < this.latest.length) this.drop();
  }

  /** Drops everything up to the last of these events, but keeps the known revision. */
  forget(isGone: (event: RecordedEvent) => boolean): void {
    this.dropOldest(this.events.findLastIndex(isGone) + 1);
    if (this.latest.some(isGone)) this.latest = [...this.events];
  }

  private dropGiven(): void {
    this.dropOldest(givenToAll(this.listeners) + 1 - (this.next - this.events.length));
  }

  /** Drops the oldest `count`. */
  private dropOldest(count: number): void {
    for (const event of this.events.splice(0, count)) this.bytes -= weightOf(event);
  }

  drop(): void {
    this.events = [];
    this.latest = [];
    this.bytes = 0;
  }
}

/**
 * The tails of streams that have listeners, or were written recently and had none yet. Owns their memory: a
 * tail is dropped with its last listener, so that most events die young; a later subscriber reads the log.
 * 1. All tails together hold at most `maxBytes` (estimated); the least recently written is evicted first.
 * 2. A tail with listeners is emptied, never removed: they must get what comes next.
 */
export class StreamTails {
  private readonly tails = new TransientMap<StreamTail>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  has(stream: StreamName): boolean {
    return this.tails.has(stream);
  }

  add(stream: StreamName, events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
    const tail = this.lastWritten(stream);
    this.bytes -= tail.bytes;
    tail.add(events);
    while (tail.bytes > this.maxBytes / SHARE_OF_ONE) tail.halve();
    this.bytes += tail.bytes;
    if (this.bytes > this.maxBytes) this.shrink();
    for (const listener of tail.listeners) listener.wake();
  }

  /** Order is kept only when something must be evicted, for keeping it always would rebuild the table. */
  private lastWritten(stream: StreamName): StreamTail {
    const known = this.tails.get(stream);
    if (known !== undefined && this.bytes * 2 < this.maxBytes) return known;
    this.tails.delete(stream);
    const tail = known ?? new StreamTail();
    this.tails.set(stream, tail);
    return tail;
  }

  join(stream: StreamName, listener: Listener): StreamTail {
    let tail = this.tails.get(stream);
    if (tail === undefined) this.tails.set(stream, (tail = new StreamTail()));
    tail.listeners.add(listener);
    return tail;
  }

  leave(stream: StreamName, listener: Listener): void {
    const tail = this.tails.get(stream);
    if (tail === undefined || !tail.listeners.delete(listener) || tail.listeners.size > 0) return;
    this.bytes -= tail.bytes;
    this.tails.delete(stream);
  }

  /** Evicts these events and what came before them. */
  forget(isGone: (event: RecordedEvent) => boolean): void {
    for (const [, tail] of this.tails) {
      this.bytes -= tail.bytes;
      tail.forget(isGone);
      this.bytes += tail.bytes;
    }
  }

  clear(): void {
    this.tails.clear();
    this.bytes = 0;
  }

  private shrink(): void {
    for (const [stream, tail] of this.tails) {
      if (this.bytes <= this.maxBytes) return;
      this.tails.delete(stream);
      this.bytes -= tail.bytes;
      if (tail.listeners.size === 0) continue;
      tail.drop();
      this.tails.set(stream, tail);
    }
  }
}
