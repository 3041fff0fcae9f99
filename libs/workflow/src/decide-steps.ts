import type { AttemptRef, Content, Draft, StepStatus } from '#domain/browser';
import { backoffMs, maxAttemptsOf } from './backoff.js';
import type { WorkflowEvent, WorkflowState } from './workflow-state.js';

/** What the log is told of a step, and the state after it. The drafts belong into one append. */

export const MAX_STEP_ERRORS = 20;
/** Characters of one error. */
export const MAX_STEP_ERROR = 500;

/** An attempt begins. */
export function startAttempt(state: WorkflowState, ref: AttemptRef): readonly Draft[] {
  return take(state, { type: 'workflow_attempt_started', data: ref }, 'started');
}

/** An attempt gave the step's output. */
export function completeStep(state: WorkflowState, ref: AttemptRef, output: Content): readonly Draft[] {
  return take(state, { type: 'workflow_step_completed', data: { ...ref, output } }, 'completed');
}

/** An attempt failed: the step is tried again later, or has failed for good with all that this means for others. */
export function failAttempt(
  state: WorkflowState,
  ref: AttemptRef,
  errors: readonly string[],
  now: number,
): readonly Draft[] {
  const { retry_policy, optional } = state.definition(ref.step_id);
  const isLast = ref.attempt >= maxAttemptsOf(retry_policy);
  const next_at = isLast || retry_policy === undefined ? null : now + backoffMs(retry_policy, ref.attempt);
  const data = { ...ref, errors: errors.slice(0, MAX_STEP_ERRORS).map(cut), next_at };
  const end = next_at !== null ? null : optional ? 'skipped' : 'failed';
  return take(state, { type: 'workflow_attempt_failed', data }, end);
}

function take(state: WorkflowState, event: WorkflowEvent, status: StepStatus | null): readonly Draft[] {
  const skipped = state.push(event);
  const ref = event.data;
  return [
    event,
    ...(status === null ? [] : [stepEvent(ref, ref.step_id, status, ref.attempt)]),
    ...skipped.map((id) => stepEvent(ref, id, 'skipped', 0)),
  ];
}

const stepEvent = (ref: AttemptRef, step_id: string, status: StepStatus, attempt: number): Draft => ({
  type: 'agent_workflow_step',
  data: { workflow_id: ref.workflow_id, step_id, status, attempt: String(attempt) },
});

const cut = (error: string): string =>
  error.length > MAX_STEP_ERROR ? `${error.slice(0, MAX_STEP_ERROR - 1).toWellFormed()}…` : error;
