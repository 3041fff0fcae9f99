import { type CallSums, type ModelCall, type SessionEvent, callOfTurn, withCall } from '#domain';
import type { RecordedEvent } from '#event-log';

type Turn = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

/** Neither is among the sums. */
const OF_NO_WEIGHT = { mode: 'base', model: '' } as const;

/** What a run has spent, with one event more of it: a call, or a turn of an earlier version, which had its call with it. */
export function withSpent(spent: CallSums, event: RecordedEvent): CallSums {
  if (event.isUnreadable) return spent;
  if (event.type === 'model_called') return withCall(spent, event.data as ModelCall);
  const call = event.type === 'model_turn_completed' ? callOfTurn(event.data as Turn, OF_NO_WEIGHT) : null;
  return call === null ? spent : withCall(spent, call);
}
