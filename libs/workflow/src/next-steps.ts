import type { WorkflowState } from './workflow-state.js';

export interface AttemptStart {
  readonly step: string;
  /** 1, 2 … */
  readonly attempt: number;
  /** Why the attempt before it failed. */
  readonly errors: readonly string[];
}

/** What a workflow does next. */
export interface NextSteps {
  readonly start: readonly AttemptStart[];
  /** When there is something to start again though nothing has ended by then, in ms since 1970; null: never. */
  readonly waitUntil: number | null;
  /** Nothing runs, nothing waits, nothing can start. */
  readonly isDone: boolean;
}

/**
 * The attempts that may start at `now`, so that at most `bound` are under way: first those that waited for their time,
 * then steps whose dependencies are completed, in the order in which they came to it.
 */
export function nextSteps(state: WorkflowState, now: number, bound: number): NextSteps {
  const room = Math.max(0, bound - state.runningSteps.size);
  const start: AttemptStart[] = [];
  for (const step of state.waitingSteps.until(now, room)) {
    const waiting = state.step(step);
    if (waiting.status === 'waiting') start.push({ step, attempt: waiting.attempt, errors: waiting.errors });
  }
  for (const step of state.readySteps(room - start.length)) start.push({ step, attempt: 1, errors: [] });
  const waitUntil = start.length < room ? state.waitingSteps.nextAfter(now) : null;
  const isDone = start.length === 0 && state.runningSteps.size === 0 && state.waitingSteps.size === 0;
  return { start, waitUntil, isDone };
}
