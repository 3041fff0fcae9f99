import type { ReplaySource } from '#agent';
import { type RecordedRun, RecordedRunFold } from '#projections';
import {
  type ReplayOf,
  type RunId,
  type SessionId,
  knownSessionEvent,
  notFound,
  sessionOfRun,
  sessionStream,
} from '#domain';
import { ContentErased, DataUnreadable, type EventLog } from '#event-log';
import type { ContentStore } from '#vault';
import { type RequestEvent, loadRequest, loadRetried } from '../load-session.js';

/** A run of which everything is on the log. */
export interface LoadedRecord {
  readonly session: SessionId;
  /** Its request, behind those of the runs that it goes on with. */
  readonly chain: readonly RequestEvent[];
  readonly recorded: RecordedRun;
}

/**
 * What a run was given, with what it went on with: all up to its end, read once.
 * @throws Problem not_found; ContentErased, DataUnreadable, LogUnavailable
 */
export async function loadRecordOf(
  log: EventLog,
  { run, requested }: Pick<ReplayOf, 'run' | 'requested'>,
): Promise<LoadedRecord> {
  const session = sessionOfRun(run);
  if (session === null) throw notFound('the run');
  const stream = sessionStream(session);
  const chain = await loadRetried(log, stream, await loadRequest(log, stream, requested));
  const runs = new Set<RunId | undefined>(chain.map(({ meta }) => meta.run));
  const fold = new RecordedRunFold(run);
  reading: for await (const page of log.readStream(stream, { after: chain[0]!.revision })) {
    for (const recorded of page) {
      if (recorded.isErased) throw new ContentErased(`what was said in ${session} is erased`);
      if (!runs.has(recorded.meta.run)) continue;
      const event = knownSessionEvent(recorded);
      // A call or its result may be what cannot be read: the record holds none, and that shows.
      if (event !== null) fold.push(event);
      if (fold.hasEnded) break reading;
    }
  }
  return { session, chain, recorded: fold.finish() };
}

/** The same for whoever drives the replay. @throws DataUnreadable, too, where it was erased meanwhile */
export async function loadRecord(
  log: EventLog,
  contents: ContentStore,
  replayOf: ReplayOf,
): Promise<ReplaySource> {
  try {
    const { session, recorded } = await loadRecordOf(log, replayOf);
    return { session, contents, recorded: replayOf.tools === 'none' ? withoutTools(recorded) : recorded };
  } catch (error) {
    if (!(error instanceof ContentErased)) throw error;
    const stream = sessionStream(sessionOfRun(replayOf.run) ?? '');
    throw new DataUnreadable({ type: 'run_requested', revision: replayOf.requested, stream });
  }
}

const withoutTools = (recorded: RecordedRun): RecordedRun => ({
  ...recorded,
  offered: [],
  calls: [],
  warnings: [],
});
