import { type StreamName, knownSessionEvent } from '#domain';
import type { EventLog } from '#event-log';
import { type RequestEvent, loadRetried } from '../load-session.js';

/**
 * The keys that started or steered the runs that a run goes on with: its calls are theirs, too, whoever has had it tried
 * again. @throws ContentErased, LogUnavailable
 */
export async function retriedActors(
  log: EventLog,
  stream: StreamName,
  request: RequestEvent,
): Promise<ReadonlySet<string>> {
  const before = (await loadRetried(log, stream, request)).slice(0, -1);
  const actors = new Set(before.map(({ meta }) => meta.actor));
  const [first] = before;
  if (first === undefined) return actors;
  const runs = new Set(before.map(({ meta }) => meta.run));
  const range = { after: first.revision, limit: request.revision - first.revision };
  for await (const page of log.readStream(stream, range)) {
    for (const recorded of page) {
      if (recorded.type !== 'run_steered' || !runs.has(recorded.meta.run)) continue;
      const event = knownSessionEvent(recorded);
      if (event?.type === 'run_steered') actors.add(event.data.actor);
    }
  }
  return actors;
}
