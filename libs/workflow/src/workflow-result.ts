import type { Content } from '#domain/browser';
import type { WorkflowState } from './workflow-state.js';

export interface StepResult {
  readonly id: string;
  readonly status: 'completed' | 'skipped' | 'failed';
  /** Of a completed step. */
  readonly output?: Content;
  /** Why there is none. */
  readonly errors?: readonly string[];
}

export interface WorkflowResult {
  readonly workflow_id: string;
  readonly status: 'completed' | 'failed';
  /** In the order of the definition. */
  readonly steps: readonly StepResult[];
}

/** What the agent is told of a workflow that is done. @throws TypeError where it is not */
export function resultOf(state: WorkflowState): WorkflowResult {
  const { id, steps } = state.workflow;
  return {
    workflow_id: id,
    status: state.failedStep === null ? 'completed' : 'failed',
    steps: steps.map((step) => stepResult(step.id, state)),
  };
}

function stepResult(id: string, state: WorkflowState): StepResult {
  const step = state.step(id);
  switch (step.status) {
    case 'completed':
      return { id, status: 'completed', output: step.output };
    case 'skipped':
    case 'failed':
      return { id, status: step.status, errors: step.errors };
    case 'pending':
    case 'running':
    case 'waiting':
      throw new TypeError(`step ${id} of workflow ${state.workflow.id} is not done`);
  }
}
