import {
  type AppendResult,
  ContentErased,
  type ContentKeys,
  type Expected,
  type KnownKey,
  MemoryContentKeys,
  type NewEvent,
  NO_EVENTS,
  type RecordedEvent,
  StoredEvent,
  StreamChain,
  openData,
  sealData,
  shownAs,
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
  /** Keys that are destroyed, and the position of the last event before. */
  readonly destroyed = new Map<string, number>();
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly chains = new Map<string, StreamChain>();

  constructor(
    private readonly flaw: Flaw | null = null,
    readonly keys: ContentKeys = new MemoryContentKeys(),
  ) {
    keys.onDestroyed((id) => this.destroyed.has(id) || this.destroyed.set(id, this.head));
  }

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
    return this.store(stream, events, expected !== 'any' && expected !== 'stream_exists');
  }

  /** Takes the last append back, as a machine does that lost what it had not synced. Only a flaw asks for this. */
  lose(count: number): void {
    for (const event of this.all.splice(this.all.length - count)) {
      const kept = this.streams.get(event.stream);
      kept?.pop();
      this.chains.set(event.stream, chainOf(event.stream, kept ?? []));
    }
  }

  /** Whether no key is destroyed that the events name. */
  canSeal(events: readonly NewEvent[]): boolean {
    return events.every(
      ({ meta, raw }) => raw !== undefined || this.keys.peek(meta.keyId ?? '') !== 'destroyed',
    );
  }

  /** A stream's events as they can be read now: what its key sealed is gone with the key. */
  readable(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const isGone = ({ meta }: RecordedEvent) =>
      meta.keyId !== undefined && this.keys.peek(meta.keyId) === 'destroyed';
    if (!events.some(isGone)) return events;
    return events.map((event) =>
      isGone(event) ? new StoredEvent({ ...event, json: '{}', data: null, isErased: true }, event) : event,
    );
  }

  private store(stream: string, events: readonly NewEvent[], isChained: boolean): AppendResult {
    const kept = this.streams.get(stream) ?? [];
    this.streams.set(stream, kept);
    const first = kept.length;
    const chain = this.chains.get(stream) ?? new StreamChain(stream);
    this.chains.set(stream, chain);
    const recorded = events.map((event, i) => {
      const at = { stream, revision: first + i, position: this.all.length + i + 1 };
      return this.recorded(event, at, isChained, chain);
    });
    kept.push(...recorded);
    this.all.push(...recorded);
    for (const listener of this.listeners) listener(recorded);
    return { kind: 'appended', first, last: kept.length - 1, position: this.all.length };
  }

  /** Sealed, chained and opened again, as a real log does in between. */
  private recorded(
    event: NewEvent,
    at: { stream: string; revision: number; position: number },
    isChained: boolean,
    chain: StreamChain,
  ): StoredEvent {
    const { keyId } = event.meta;
    const known = keyId === undefined ? null : this.keys.peek(keyId);
    if (known === undefined) throw new Error(`${event.type} is sealed with no key`);
    const raw = event.raw ?? { ...sealedFor(known, at.stream, event), prev: isChained ? chain.prev : '' };
    chain.push({ ...event, ...at }, raw);
    const shown = shownAs(openData(raw.data, known, at.stream, event.id));
    return new StoredEvent({ ...event, ...shown, raw, data: null }, at);
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

function chainOf(stream: string, events: readonly RecordedEvent[]): StreamChain {
  const chain = new StreamChain(stream);
  for (const event of events) if (event.raw) chain.push(event, event.raw);
  return chain;
}

/** @throws ContentErased */
function sealedFor(key: KnownKey | null, stream: string, event: NewEvent) {
  if (key === 'destroyed') throw new ContentErased(`${event.type} can be sealed no more`);
  return sealData(key, stream, event);
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
