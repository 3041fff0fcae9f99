import {
  type AppendResult,
  type Expected,
  type NewEvent,
  NO_EVENTS,
  type RecordedEvent,
  StoredEvent,
} from '#event-log';
import type { Flaw } from './flaws.js';

const NOTHING: readonly RecordedEvent[] = [];

/** The truth of a simulated log: what is stored, in which order. All workers of a world share it. */
export class LogStore {
  readonly all: RecordedEvent[] = [];
  /** Until then every append is refused, or every read. */
  fullUntil = 0;
  unreadableUntil = 0;
  /** Told after each append that stored something. */
  readonly listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  private readonly streams = new Map<string, RecordedEvent[]>();

  constructor(private readonly flaw: Flaw | null = null) {}

  get head(): number {
    return this.all.length;
  }

  get names(): Iterable<string> {
    return this.streams.keys();
  }

  stream(name: string): readonly RecordedEvent[] {
    return this.streams.get(name) ?? NOTHING;
  }

  lastOf(name: string): number {
    return this.stream(name).length - 1;
  }

  append(stream: string, events: readonly NewEvent[], expected: Expected): AppendResult {
    const actual = this.lastOf(stream);
    if (this.flaw !== 'no_fence' && !isAsExpected(expected, actual)) {
      const first = expected === 'no_stream' ? 0 : Number(expected) + 1;
      if (this.flaw !== 'not_idempotent' && this.isRepeat(stream, events, first)) {
        const last = first + events.length - 1;
        const { position } = this.stream(stream)[last] as RecordedEvent;
        return { kind: 'appended', first, last, position };
      }
      return this.refuse(actual, events.length);
    }
    return this.store(stream, events);
  }

  /** Takes the last append back, as a machine does that lost what it had not synced. Only a flaw asks for this. */
  lose(count: number): void {
    for (const event of this.all.splice(this.all.length - count)) this.streams.get(event.stream)?.pop();
  }

  private store(stream: string, events: readonly NewEvent[]): AppendResult {
    const kept = this.streams.get(stream) ?? [];
    this.streams.set(stream, kept);
    const first = kept.length;
    const recorded = events.map((event, i) => {
      const at = { stream, revision: first + i, position: this.all.length + i + 1 };
      return new StoredEvent({ ...event, data: null }, at);
    });
    kept.push(...recorded);
    this.all.push(...recorded);
    for (const listener of this.listeners) listener(recorded);
    return { kind: 'appended', first, last: kept.length - 1, position: this.all.length };
  }

  private refuse(actual: number, count: number): AppendResult {
    if (this.flaw !== 'conflict_is_success') return { kind: 'conflict', actual };
    return { kind: 'appended', first: actual + 1, last: actual + count, position: this.all.length };
  }

  private isRepeat(stream: string, events: readonly NewEvent[], first: number): boolean {
    if (!(first >= 0)) return false;
    const stored = this.stream(stream).slice(first, first + events.length);
    return stored.length === events.length && stored.every((event, i) => event.id === events[i]?.id);
  }
}

function isAsExpected(expected: Expected, actual: number): boolean {
  switch (expected) {
    case 'any':
      return true;
    case 'stream_exists':
      return actual >= 0;
    case 'no_stream':
      return actual === NO_EVENTS;
    default:
      return expected === actual;
  }
}
