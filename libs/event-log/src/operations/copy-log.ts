import type { StreamName } from '#domain';
import type { NewEvent, Position, RecordedEvent } from '../envelope.js';
import { type AppendResult, collect, type EventLog, LogRefused, MAX_APPEND_BYTES } from '../event-log.js';
import { sizeOf } from '../codec.js';

export interface CopyOptions {
  /** Resumes an interrupted copy: the target may hold the beginning of the source. */
  readonly isResumed?: boolean;
  readonly onProgress?: (position: Position, head: Position) => void;
  /** Appends and retries until the outcome is known. */
  readonly append: (
    stream: StreamName,
    events: readonly NewEvent[],
    expected: number,
  ) => Promise<AppendResult>;
}

export interface CopyReport {
  readonly events: number;
  readonly streams: number;
}

const MAX_EVENTS = 500;

interface Piece {
  readonly stream: StreamName;
  readonly events: RecordedEvent[];
  bytes: number;
}

/**
 * Copies a log into an empty one of any adapter, without decrypting it. Ids, revisions, times, meta, proofs,
 * stored data and the global order stay the same; positions and the log's id do not. Neither log may be
 * written meanwhile. Resumable: earlier appends are recognised by their ids.
 * @throws LogRefused when the target holds something else, LogUnavailable
 */
export async function copyLog(from: EventLog, to: EventLog, options: CopyOptions): Promise<CopyReport> {
  if (options.isResumed !== true && (await to.head()) > 0)
    throw new LogRefused(
      'the log to copy to is not empty; a copy that was broken off is resumed with --resume',
    );
  const head = await from.head();
  const streams = new Set<string>();
  let events = 0;
  for await (const batch of from.readAll({ isRaw: true })) {
    for (const piece of piecesOf(batch.events)) {
      // Each is stored before the next is sent: appends to different streams may overtake one another, and what was sealed is
      // the order of all events.
      const { kind } = await options.append(piece.stream, piece.events, piece.events[0]!.revision - 1);
      if (kind === 'conflict') await reconcile(to, piece, options);
      streams.add(piece.stream);
    }
    events += batch.events.length;
    options.onProgress?.(batch.position, head);
  }
  return { events, streams: streams.size };
}

/** Groups adjacent events of one stream into batches within the append limits. */
function piecesOf(events: readonly RecordedEvent[]): Piece[] {
  const pieces: Piece[] = [];
  for (const event of events) {
    const bytes = sizeOf(event);
    const last = pieces.at(-1);
    if (
      last?.stream === event.stream &&
      last.bytes + bytes <= MAX_APPEND_BYTES &&
      last.events.length < MAX_EVENTS
    ) {
      last.events.push(event);
      last.bytes += bytes;
    } else pieces.push({ stream: event.stream, events: [event], bytes });
  }
  return pieces;
}

/**
 * The target has a part of the batch already: continues after it if it is the same, throws if it is something
 * else.
 */
async function reconcile(to: EventLog, { stream, events }: Piece, options: CopyOptions): Promise<void> {
  const first = events[0]!.revision;
  const stored = await collect(to.readStream(stream, { after: first - 1, limit: events.length }));
  for (const [i, { id }] of stored.entries())
    if (events[i]?.id !== id)
      throw new LogRefused(`the log to copy to holds another event at revision ${first + i} of ${stream}`);
  const rest = events.slice(stored.length);
  if (rest.length === 0) return;
  const result = await options.append(stream, rest, rest[0]!.revision - 1);
  if (result.kind === 'conflict')
    throw new LogRefused(
      `${stream} in the log to copy to ends at revision ${result.actual}: somebody writes to it`,
    );
}
