import type { StreamName } from '#domain';
import type { NewEvent, Position, RecordedEvent, Revision } from './envelope.js';

/** What the stream must look like for an append: its last revision, or one of the named states. */
export type Expected = Revision | 'no_stream' | 'stream_exists' | 'any';

export type AppendResult =
  /** `position` is that of the append's last event. */
  | {
      readonly kind: 'appended';
      readonly first: Revision;
      readonly last: Revision;
      readonly position: Position;
    }
  /** Definite: nothing was stored. `actual` is the stream's last revision, NO_EVENTS (-1) where there is no stream. */
  | { readonly kind: 'conflict'; readonly actual: Revision };

export interface ReadOptions {
  /** Exclusive, in the direction of reading. Absent: from the very start (or end, backwards). */
  readonly after?: number;
  readonly backwards?: boolean;
  /** At most so many events in all. Absent: all that are there when the reading gets to them. */
  readonly limit?: number;
}

export interface ReadAllOptions {
  readonly after?: Position;
  readonly limit?: number;
  /** The events say how they are stored (`raw`). */
  readonly isRaw?: boolean;
}

export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been seen; a subscriber may resume from it. It moves over filtered events, too. */
  readonly position: Position;
}

export interface LogHealth {
  readonly ok: boolean;
  /** What is wrong, for an operator; holds no secret. */
  readonly detail?: string;
}

export interface AppendOptions {
  readonly expected: Expected;
  /** Of a key that the events are sealed with, where it is not the one of their stream. */
  readonly sealedWith?: string | undefined;
}

/**
 * The durable log, the one source of truth.
 *
 * Guarantees, checked by one contract suite over every adapter:
 * 1. An append is all or nothing, and on disk when it is acknowledged.
 * 2. Revisions of a stream have no gaps; position order is commit order.
 * 3. The same ids at the same explicit revision (or `no_stream`) again are the same append: it succeeds once more with
 *    the first one's revisions, whatever came later. Ids alone protect nothing at another revision, nor under `any` or
 *    `stream_exists`.
 * 4. A subscription yields every event after its start exactly once, in order, from catch-up to live, over reconnects.
 */
export abstract class EventLog {
  /** Names this log for good: positions mean nothing under another. */
  abstract readonly logId: string;
  /** Whether only this process can write to it, so that no stranger's event needs to be listened for. */
  abstract readonly exclusive: boolean;

  /** @throws AppendOutcomeUnknown (retry the identical batch), LogUnavailable (nothing was stored), EventTooLarge */
  abstract append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<AppendResult>;

  /** Pages of a stream, bounded in count and bytes; no page where there is no stream. @throws LogUnavailable */
  abstract readStream(stream: StreamName, options?: ReadOptions): AsyncIterable<readonly RecordedEvent[]>;

  /** Pages of the whole log, forwards. @throws LogUnavailable */
  abstract readAll(options?: ReadAllOptions): AsyncIterable<Batch>;

  /** From after `after` (absent: the start), then live, until the signal is aborted: then it ends without an error. */
  abstract subscribeStream(
    stream: StreamName,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]>;

  /** The whole log, or the streams with one of the prefixes. Ends like subscribeStream. */
  abstract subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch>;

  /** Position of the last event, 0 where there is none. @throws LogUnavailable */
  abstract head(): Promise<Position>;

  /** Asked before every run is accepted, so it answers from what is known. */
  abstract health(): Promise<LogHealth>;

  /** Ends the subscriptions, waits for the appends under way, lets go of the files or connections. */
  abstract close(): Promise<void>;
}

/** It may be stored or not. Only the identical batch, at the same expected revision, may follow. */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
}

/** The log takes nothing now; what was asked for was not done. */
export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
}

/** The log cannot be opened as it is: in use by another process, another program's, newer, damaged. One line, for the operator. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}

/** Over the limit of an event (256 KiB) or of an append (900 KiB), counted on encoded bytes. Nothing was stored. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

export const MAX_EVENT_BYTES = 256 * 1024;
export const MAX_APPEND_BYTES = 900 * 1024;

/** All events of some pages, in order. Only where their number is known to be small. */
export async function collect(pages: AsyncIterable<readonly RecordedEvent[]>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
