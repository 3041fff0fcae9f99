import type { CurrentRun } from './current-run.js';
import type { RunId } from './ids.js';
import { Problem } from './problem.js';
import type { OnBusy, Trigger } from './run-config.js';
import { type SessionState, isIdle } from './session-state.js';

/** Runs that may wait in a session; firings of tasks do not count. */
export const MAX_WAITING = 100;

interface AskedRun {
  readonly onBusy: OnBusy;
  readonly trigger: Trigger;
  readonly retry_of?: { readonly run: RunId };
}

/** Why a session takes no such run as it stands; null: it does. */
export function refusalOf(state: SessionState, { onBusy, trigger, retry_of }: AskedRun): Problem | null {
  if (retry_of !== undefined) return isIdle(state) && state.broken?.run === retry_of.run ? null : NOT_RETRIED;
  if (isIdle(state) || (onBusy === 'steer' && canBeSteered(state))) return null;
  if (onBusy === 'reject') return new Problem('session_busy', 'another run of this session is under way');
  if (trigger === 'task' || countWaiting(state) < MAX_WAITING) return null;
  return new Problem('session_busy', `${MAX_WAITING} runs wait in this session already`);
}

const NOT_RETRIED = new Problem(
  'conflict',
  'only the last run of its session, which failed or was cancelled, can be retried',
);

/** Whether a run of the session is under way, or waits, and may be told something. */
export const canBeSteered = (state: SessionState): state is SessionState & { readonly current: CurrentRun } =>
  state.current !== null && !state.current.isCancelRequested;

const countWaiting = (state: SessionState): number =>
  state.waiting.filter((run) => !run.isFiring && !run.isCancelled).length;
