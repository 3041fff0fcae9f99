import type { Journal } from '#agent';
import { type CurrentRun, decideEndUnreadable } from '#domain';
import type { KnownRequests } from './known-requests.js';

/** Ends a run of this process of which what must be known cannot be read. @throws LogUnavailable, ContentErased */
export async function endUnreadable(
  journal: Journal,
  requests: KnownRequests,
  current: CurrentRun,
): Promise<void> {
  const { meta } = await requests.of(current.run, journal.state);
  await journal.command(meta, (state) => ({ events: decideEndUnreadable(state, current), value: undefined }));
}
