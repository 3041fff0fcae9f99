import type { Draft, Workflow, WorkflowStep } from '#domain';
import type { StepState, WorkflowState } from '#workflow';

export const stepOf = (
  id: string,
  depends_on: readonly string[] = [],
  more: Partial<WorkflowStep> = {},
): WorkflowStep => ({ id, name: `Step ${id}`, description: `do ${id}`, depends_on, ...more });

export const workflowOf = (...steps: readonly WorkflowStep[]): Workflow => ({
  id: 'w',
  name: 'Work',
  description: 'what there is to do',
  steps,
});

/** What the log is told, a line an event: `started a 1`, `+ started a 1` where a client sees it. */
export function workflowLine({ type, data }: Pick<Draft, 'type' | 'data'>): string {
  if (!('step_id' in data)) return type;
  if (type === 'agent_workflow_step' && 'status' in data)
    return `+ ${data.status} ${data.step_id} ${data.attempt}`;
  return `${type.replace(/^workflow_(attempt|step)_/, '')} ${data.step_id} ${data.attempt}`;
}

/** Folds what of a log's events is a workflow's. */
export function pushAll(state: WorkflowState, drafts: readonly Draft[]): WorkflowState {
  for (const draft of drafts) {
    switch (draft.type) {
      case 'workflow_attempt_started':
      case 'workflow_attempt_failed':
      case 'workflow_step_completed':
        state.push(draft);
        break;
      default:
    }
  }
  return state;
}

export const stepsOf = (state: WorkflowState): StepState[] =>
  state.workflow.steps.map((step) => state.step(step.id));
