import type { Draft } from './draft.js';
import { type PicoDollars, formatDollars } from './money/dollars.js';
import type { SessionEvent } from './session-events.js';
import type { RunId } from './ids.js';
import type { CurrentRun } from './current-run.js';
import { type SessionState, isParked } from './session-state.js';

/** A run whose claims have come to nothing so often, one after the other, is what ends its process: it is not tried again. */
const MAX_SILENT_CLAIMS = 3;
/** Of claims under which it only said again what it had said before. */
const MAX_FRUITLESS_CLAIMS = 10;

/** Of a run that has ended its processes; nothing of one that has not. */
export function endOfTheDeadly(current: CurrentRun): readonly Draft[] {
  const { silent, fruitless, isCancelRequested } = current;
  if (silent < MAX_SILENT_CLAIMS && fruitless < MAX_FRUITLESS_CLAIMS) return [];
  if (isCancelRequested) return endOf(current, { type: 'agent_cancelled', data: {} });
  const times = silent < MAX_SILENT_CLAIMS ? fruitless : silent;
  const content = `the service ended ${times} times in a row while it was at this point of the run`;
  return endOf(current, { type: 'agent_error', data: { content, code: 'internal', retryable: false } });
}

/** An end shows what came in and was given to nobody, and what the run cost. */
export function endOf({ run, steered, cost }: CurrentRun, end: SessionEvent): readonly Draft[] {
  return [
    ...steered.map(({ content }): Draft => ({ type: 'agent_steered', data: { content }, run })),
    { type: 'agent_cost', data: { cost: formatDollars(cost) }, run },
    { ...end, run },
  ];
}

/**
 * The end of a run by whoever drives it. Nothing where a message came in that its model was not given: no run completes
 * before that.
 * @param cost of the run, as whoever drives it knows it
 * @param last what it says at its end: a run that goes on has not said it
 */
export function decideEnd(
  { current }: SessionState,
  end: SessionEvent,
  cost: PicoDollars,
  last: readonly Draft[] = [],
): readonly Draft[] {
  if (current === null || (end.type === 'agent_completed' && current.steered.length > 0)) return [];
  return [...last.map((draft) => ({ ...draft, run: current.run })), ...endOf({ ...current, cost }, end)];
}

/**
 * Nobody drives the run from here on. Nothing where a decision came, or a cancel, of which whoever drives it does not know:
 * nobody would obey it.
 * @param decisions since the latest claim, of which whoever drives it knows
 */
export function decidePark({ current }: SessionState, decisions: number): readonly Draft[] {
  // Of a decision that was read from the log the journal may have to hear yet: then the append conflicts.
  if (current === null || current.decisions > decisions || current.isCancelRequested) return [];
  const { actions, tasks, run } = current;
  return actions.length + tasks.length === 0 ? [] : [{ type: 'run_parked', data: {}, run }];
}

/** A run that waits can be claimed again. Nothing where it does not wait any more. */
export const decideWake = (state: SessionState, run: RunId): readonly Draft[] =>
  state.current?.run === run && isParked(state) ? [{ type: 'run_woken', data: {}, run }] : [];

/** The end of a run that this process has claimed, and of which what must be known cannot be read. */
export function decideEndUnreadable(
  { current }: SessionState,
  { run, claimed }: Pick<CurrentRun, 'run' | 'claimed'>,
): readonly Draft[] {
  if (current?.run !== run || current.claimed !== claimed) return [];
  if (current.isCancelRequested) return endOf(current, { type: 'agent_cancelled', data: {} });
  const content = 'what the log holds of this run cannot be read';
  return endOf(current, { type: 'agent_error', data: { content, code: 'internal', retryable: false } });
}
