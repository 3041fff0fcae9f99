import {
  type CallSums,
  type Draft,
  type KeptCalls,
  type Mode,
  NO_CALLS,
  type RunId,
  type SessionId,
  callOfTurn,
  knownSessionEvent,
  sessionStream,
  withCall,
} from '#domain';
import type { EventLog } from '#event-log';

/** Of one event; a session of years has several. */
const MOST_OF_EVENT = 200;
const DAY_MS = 86_400_000;

interface Group {
  readonly of: Pick<KeptCalls, 'run' | 'time' | 'key' | 'mode' | 'model'>;
  sums: CallSums;
}

/**
 * What is kept of the model calls of a session that is to be erased: of those that were recorded within their turns, before
 * calls had events of their own. Sums by run, model and day. @throws LogUnavailable
 */
export async function usageKept(log: EventLog, session: SessionId): Promise<readonly Draft[]> {
  const requests = new Map<RunId, { readonly mode: Mode; readonly model: string; readonly key: string }>();
  const groups = new Map<string, Group>();
  for await (const page of log.readStream(sessionStream(session)))
    for (const recorded of page) {
      const event = recorded.isUnreadable ? null : knownSessionEvent(recorded);
      const run = event?.meta.run;
      if (event === null || run === undefined) continue;
      if (event.type === 'run_requested') {
        const { mode, model } = event.data;
        requests.set(run, { mode, model, key: event.meta.actor });
      }
      const of = requests.get(run);
      const call =
        event.type === 'model_turn_completed' && of !== undefined ? callOfTurn(event.data, of) : null;
      if (call === null || of === undefined) continue;
      const id = JSON.stringify([run, call.model, Math.floor(event.time / DAY_MS)]);
      const group = groups.get(id) ?? { of: { run, time: event.time, ...of }, sums: NO_CALLS };
      group.sums = withCall(group.sums, call);
      groups.set(id, group);
    }
  const calls = [...groups.values()].map(({ of, sums }) => ({ ...of, ...sums, cost: String(sums.cost) }));
  return Array.from({ length: Math.ceil(calls.length / MOST_OF_EVENT) }, (_, n) => ({
    type: 'usage_kept',
    data: { calls: calls.slice(n * MOST_OF_EVENT, (n + 1) * MOST_OF_EVENT) },
  }));
}
