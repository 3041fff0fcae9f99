import type { StreamName } from '#domain';
import {
  NO_EVENTS,
  type NewEvent,
  type Revision,
  type AppendResult,
  type Expected,
  ContentErased,
  StreamChain,
  type ThreadKeys,
} from '#event-log';
import type { OwnEvents } from './own-events.js';
import { type WireData, type WireEvent, wireDataOf, wireEventOf } from './wire-event.js';

/** Streams whose end is kept; that which came first goes first, and is read when it is written to again. */
const KEPT = 20_000;

interface End {
  revision: Revision;
  chain: StreamChain;
}

export interface EncodedAppend {
  readonly events: readonly WireEvent[];
  /** The end of the stream behind it; null: it does not know where it stands. */
  readonly end: StreamChain | null;
}

/**
 * Makes an append's bytes. Owns the ends of the chains of streams that were written.
 * 1. Data are sealed once: the same event again, before it was heard, has the same bytes, at whatever revision.
 * 2. What is appended behind an explicit revision refers to the event there; where that cannot be read, it stands outside
 *    the chain, as what has no expected revision does.
 */
export class EventEncoder {
  private readonly ends = new Map<string, End>();

  constructor(
    private readonly keys: ThreadKeys,
    private readonly own: Pick<OwnEvents, 'dataOf'>,
    /** The chain of a stream up to a revision; null where that event is not seen. @throws LogUnavailable */
    private readonly readChain: (stream: StreamName, revision: Revision) => Promise<StreamChain | null>,
  ) {}

  /** At once where the end of the stream is known. @throws ContentErased, LogUnavailable */
  encode(
    stream: StreamName,
    events: readonly NewEvent[],
    expected: Expected,
  ): EncodedAppend | Promise<EncodedAppend> {
    if (expected === 'any' || expected === 'stream_exists') return this.wires(stream, events, null, 0);
    const revision = expected === 'no_stream' || expected < 0 ? NO_EVENTS : expected;
    if (revision === NO_EVENTS) return this.wires(stream, events, new StreamChain(stream), 0);
    const known = this.ends.get(stream);
    if (known?.revision === revision) return this.wires(stream, events, known.chain.copy(), revision + 1);
    return this.readChain(stream, revision).then((chain) => this.wires(stream, events, chain, revision + 1));
  }

  /** @param isFresh nobody stored it before, so its bytes are those that were sent */
  stored(stream: StreamName, result: AppendResult, { end }: EncodedAppend, isFresh: boolean): void {
    if (result.kind === 'conflict' || end === null || !isFresh) return void this.ends.delete(stream);
    const known = this.ends.get(stream);
    if (known !== undefined) {
      known.revision = result.last;
      known.chain = end;
      return;
    }
    this.ends.set(stream, { revision: result.last, chain: end });
    if (this.ends.size <= KEPT) return;
    for (const oldest of this.ends.keys()) {
      if (this.ends.size <= KEPT * 0.9) break;
      this.ends.delete(oldest);
    }
  }

  private wires(
    stream: StreamName,
    events: readonly NewEvent[],
    chain: StreamChain | null,
    first: Revision,
  ): EncodedAppend {
    const wires = events.map((event, i) => {
      const data = this.dataOf(stream, event);
      const prev = event.raw?.prev ?? chain?.prev ?? '';
      chain?.push({ ...event, stream, revision: first + i }, { commitment: data.commitment, prev });
      return wireEventOf(event, data, prev);
    });
    return { events: wires, end: chain };
  }

  /** Invariant 1. */
  private dataOf(stream: StreamName, event: NewEvent): WireData {
    const known = this.own.dataOf(event);
    if (known !== undefined) return known;
    const { keyId } = event.meta;
    const key = keyId === undefined || event.raw !== undefined ? null : this.keys.get(keyId);
    if (key === undefined || key === 'destroyed')
      throw new ContentErased(`nothing can be sealed with the key ${keyId}`);
    return wireDataOf(key, stream, event);
  }
}
