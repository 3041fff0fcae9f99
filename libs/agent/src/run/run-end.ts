import { BUDGET_EXHAUSTED, type RunEnd, type SessionEvent, assertNever } from '#domain';
import { TurnFailed } from '../model/model-turn.js';

/** The run goes no further in this process; whoever claims it next goes on from the log. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** A server goes on with a call for longer than a process waits for it: the run is left until there is news. */
export class TaskLeft extends Error {
  override readonly name = 'TaskLeft';
}

export class RunCancelled extends Error {
  override readonly name = 'RunCancelled';
}

/** Nobody gave the run more of a budget. */
export class BudgetDenied extends Error {
  override readonly name = 'BudgetDenied';
}

export class RunTimedOut extends Error {
  override readonly name = 'RunTimedOut';
}

export const CREDENTIALS_GONE =
  'the service was restarted, and the credentials of the tool servers are kept nowhere: send the request again';

/** How a run ends for what was thrown while it was driven. */
export function endFor(reason: unknown, runTimeoutMs: number): RunEnd {
  if (reason instanceof RunCancelled) return { kind: 'cancelled' };
  if (reason instanceof BudgetDenied) return BUDGET_EXHAUSTED;
  if (reason instanceof RunTimedOut) {
    const message = `the run took longer than ${runTimeoutMs / 1000} s`;
    return { kind: 'failed', code: 'timeout', message, isRetryable: true };
  }
  if (reason instanceof TurnFailed) {
    return { kind: 'failed', code: reason.code, message: reason.message, isRetryable: reason.isRetryable };
  }
  return { kind: 'failed', code: 'internal', message: 'the service failed', isRetryable: true };
}

export function endEvent(end: RunEnd): SessionEvent {
  switch (end.kind) {
    case 'completed':
      return { type: 'agent_completed', data: {} };
    case 'cancelled':
      return { type: 'agent_cancelled', data: {} };
    case 'failed':
      return {
        type: 'agent_error',
        data: { content: end.message, code: end.code, retryable: end.isRetryable },
      };
    default:
      return assertNever(end);
  }
}
