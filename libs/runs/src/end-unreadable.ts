import type { Journal } from '#agent';
import { type CurrentRun, decideEndUnreadable } from '#domain';
import { isUnreadable } from '#vault';
import type { KnownRequests } from './known-requests.js';
import { pauseForLog } from './run-claims.js';
import type { SessionPorts } from './session-ports.js';

/** What cannot be read will not be read the next time either; whatever else it was is tried again, after a pause. */
export async function afterBrokenDrive(
  error: unknown,
  current: CurrentRun,
  session: { readonly id: string; readonly journal: Journal; readonly isStopped: boolean },
  requests: KnownRequests,
  ports: SessionPorts,
): Promise<void> {
  const { run } = current;
  const pauseAfter = async (failure: unknown): Promise<void> => {
    if (!session.isStopped) await pauseForLog(ports, session.id, run, failure);
  };
  if (!isUnreadable(error)) return pauseAfter(error);
  ports.logger.error({ err: error, run, session: session.id }, 'a run ends: it cannot be read');
  try {
    await endUnreadable(session.journal, requests, current);
  } catch (failure) {
    await pauseAfter(failure);
  }
}

/** Ends a run of this process of which what must be known cannot be read. @throws LogUnavailable, ContentErased */
async function endUnreadable(journal: Journal, requests: KnownRequests, current: CurrentRun): Promise<void> {
  const { meta } = await requests.of(current.run, journal.state);
  await journal.command(meta, (state) => ({ events: decideEndUnreadable(state, current), value: undefined }));
}
