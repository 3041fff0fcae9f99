import type { Workflow } from '#domain';
import type { ToolDefinition } from '../model/model-client.js';

export const RUN_WORKFLOW = 'run_workflow';

/** Some servers take no more of a tool's description. */
const MAX_DESCRIPTION = 1000;

/** The tool by which the agent starts the run's workflows. */
export function runWorkflowDefinition(workflows: readonly Workflow[]): ToolDefinition {
  const list = workflows.map(({ id, name }) => `${JSON.stringify(id)} (${name})`).join(', ');
  const text = `Carries out a workflow and returns the status and output of each of its steps. Workflows: ${list}.`;
  return {
    name: RUN_WORKFLOW,
    description:
      text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…` : text,
    parameters: {
      type: 'object',
      properties: {
        workflow_id: { type: 'string', enum: workflows.map(({ id }) => id) },
        input: {
          type: 'string',
          description:
            'What the steps need to know: the task in your words, with all the facts that they need.',
        },
      },
      required: ['workflow_id'],
      additionalProperties: false,
    },
  };
}

/** What the system message says of the workflows. */
export function workflowInstructions(workflows: readonly Workflow[]): string {
  const list = workflows.map(({ id, name, description }) => `- ${id} (${name}): ${description}`).join('\n');
  return (
    `These workflows are ready to be carried out with the tool ${RUN_WORKFLOW}:\n${list}\n` +
    'Where one of them fits the task, use it instead of doing the same work yourself. ' +
    'You get the output of each of its steps; tell of steps that failed or were skipped.'
  );
}

export interface WorkflowCallInput {
  readonly workflow: Workflow;
  readonly input?: string;
}

/** The parsed arguments of a call; a string says what is wrong with them, for the agent. */
export function parseRunWorkflow(input: unknown, workflows: readonly Workflow[]): WorkflowCallInput | string {
  if (typeof input !== 'object' || input === null) return 'the arguments must be an object';
  const { workflow_id: id, input: text } = input as { workflow_id?: unknown; input?: unknown };
  const workflow = workflows.find((w) => w.id === id);
  if (workflow === undefined) {
    const ids = workflows.map((w) => JSON.stringify(w.id)).join(', ');
    return `there is no workflow ${JSON.stringify(id) ?? 'without an id'}; workflow_id is one of ${ids}`;
  }
  if (text === undefined || text === null) return { workflow };
  return { workflow, input: typeof text === 'string' ? text : JSON.stringify(text) };
}
