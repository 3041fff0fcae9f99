import type { StreamName } from '#domain';
import { NO_EVENTS, type NewEvent, type Position, type RecordedEvent, type Revision } from './envelope.js';
import { hashBytesOfEvent } from './proof.js';

/** Expected version of the stream (optimistic concurrency): its last revision, or one of the named states. */
export type Expected = Revision | 'no_stream' | 'stream_exists' | 'any';

export type AppendResult =
  /** `position` is that of the append's last event. */
  | {
      readonly kind: 'appended';
      readonly first: Revision;
      readonly last: Revision;
      readonly position: Position;
    }
  /**
   * Definite: nothing was stored. `actual` is the stream's last revision, NO_EVENTS (-1) for a missing
   * stream.
   */
  | { readonly kind: 'conflict'; readonly actual: Revision };

export interface ReadOptions {
  /** Exclusive, in the direction of reading. Absent: from the start (backwards: the end). */
  readonly after?: number;
  readonly backwards?: boolean;
  /** Maximum number of events in all. Absent: up to the end of the stream at that time. */
  readonly limit?: number;
  /** Include the stored form of each event (`raw`). Its data are open only where its key is at hand. */
  readonly isRaw?: boolean;
}

export interface ReadAllOptions {
  readonly after?: Position;
  readonly limit?: number;
  /** Include the stored form of each event (`raw`). */
  readonly isRaw?: boolean;
}

export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here was seen, filtered events included: a checkpoint to resume from. */
  readonly position: Position;
}

/** An event by its place and what it is. */
export interface EventHash {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  /** SHA-256, as docs/log-format.md defines it. */
  readonly hash: Uint8Array;
}

export interface HashBatch {
  readonly events: readonly EventHash[];
  readonly position: Position;
}

export interface LogHealth {
  readonly ok: boolean;
  /** Diagnosis for an operator; holds no secret. */
  readonly detail?: string;
}

export interface AppendOptions {
  readonly expected: Expected;
  /** Id of the key that the events are encrypted with, where it is not their stream's own. */
  readonly sealedWith?: string | undefined;
}

/**
 * Port: the durable, append-only event log, the one source of truth.
 *
 * Guarantees, checked by one contract suite over every adapter:
 * 1. An append is atomic, and durable when it is acknowledged.
 * 2. Revisions of a stream have no gaps; position order is commit order.
 * 3. Idempotence: a repeated append with the same ids at the same explicit revision (or `no_stream`) succeeds
 *    with the first one's revisions, whatever came later. Ids alone do not deduplicate: not at another
 *    revision, nor under `any` or `stream_exists`.
 * 4. A subscription yields every event after its start exactly once, in order, from catch-up to live, across
 *    reconnects.
 */
export abstract class EventLog {
  /** Permanent id of this log: positions are only valid together with it. */
  abstract readonly logId: string;
  /** Whether only this process can write, so that other writers' events need no subscription. */
  abstract readonly exclusive: boolean;

  /**
   * @throws AppendOutcomeUnknown (retry the identical batch), LogUnavailable (nothing was stored),
   * EventTooLarge
   */
  abstract append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<AppendResult>;

  /**
   * Pages of a stream, bounded in count and bytes; none for a missing stream.
   * @throws LogUnavailable
   */
  abstract readStream(stream: StreamName, options?: ReadOptions): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Pages of the whole log, forwards.
   * @throws LogUnavailable
   */
  abstract readAll(options?: ReadAllOptions): AsyncIterable<Batch>;

  /**
   * The same, by their hashes. Adapters that read in a thread of their own have them made there.
   * @throws LogUnavailable
   */
  readHashes(after: Position): AsyncIterable<HashBatch> {
    return hashesOf(this.readAll({ after, isRaw: true }));
  }

  /**
   * Catch-up subscription after `after` (absent: from the start), then live. Ends without an error when the
   * signal is aborted.
   */
  abstract subscribeStream(
    stream: StreamName,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]>;

  /** The same over the whole log, or the streams with one of the prefixes. */
  abstract subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch>;

  /**
   * Position of the last event, 0 in an empty log.
   * @throws LogUnavailable
   */
  abstract head(): Promise<Position>;

  /** Called before every run is accepted, so it answers from memory. */
  abstract health(): Promise<LogHealth>;

  /** Ends subscriptions, awaits appends in flight, releases files and connections. */
  abstract close(): Promise<void>;
}

/**
 * The append may have been stored or not. Only the identical batch at the same expected revision may follow.
 */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
}

/** The log is unavailable for now; the operation was not done. */
export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
}

/**
 * The log cannot be opened: in use by another process, of another program or newer version, or damaged. One
 * line, for the operator.
 */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}

/** Over the limit of an event (256 KiB) or an append (900 KiB), in encoded bytes. Nothing was stored. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

export const MAX_EVENT_BYTES = 256 * 1024;
export const MAX_APPEND_BYTES = 900 * 1024;

/** @param batches with the stored form of each event */
export async function* hashesOf(batches: AsyncIterable<Batch>): AsyncIterable<HashBatch> {
  for await (const { events, position } of batches)
    yield { events: events.map((event) => ({ ...placeOf(event), hash: hashOf(event) })), position };
}

const placeOf = ({ stream, revision, position }: RecordedEvent) => ({ stream, revision, position });
const hashOf = (event: RecordedEvent) => hashBytesOfEvent(event, event.raw!);

/** One event of a stream; undefined: it has none there, as far as is read yet. @throws LogUnavailable */
export async function eventAt(
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
  revision: Revision,
  options: Pick<ReadOptions, 'isRaw'> = {},
): Promise<RecordedEvent | undefined> {
  for await (const [event] of log.readStream(stream, { ...options, after: revision - 1, limit: 1 }))
    return event?.revision === revision ? event : undefined;
  return undefined;
}

/** undefined: the stream has none. @throws LogUnavailable */
export async function lastEventOf(
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
): Promise<RecordedEvent | undefined> {
  for await (const [last] of log.readStream(stream, { backwards: true, limit: 1 })) return last;
  return undefined;
}

/** The last revision of a stream; NO_EVENTS where it has none. @throws LogUnavailable */
export const lastRevisionOf = async (
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
): Promise<Revision> => (await lastEventOf(log, stream))?.revision ?? NO_EVENTS;

/** All events of some pages, in order. Only where they are known to be few. */
export async function collect(pages: AsyncIterable<readonly RecordedEvent[]>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
