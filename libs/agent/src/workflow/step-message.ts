import type { Workflow, WorkflowStep } from '#domain';

export interface StepMessageParts {
  readonly workflow: Workflow;
  readonly step: WorkflowStep;
  /** What the agent gave the workflow to work on. */
  readonly input?: string;
  /** Of the steps that this one depends on, in the order in which it names them. */
  readonly outputs: readonly { readonly step: string; readonly text: string }[];
  /** Why the attempt before this one failed. */
  readonly errors: readonly string[];
}

/** The last user message of a step's attempt: made of what the log holds, so it is the same after a crash. */
export function stepMessage({ workflow, step, input, outputs, errors }: StepMessageParts): string {
  const parts = [
    `You carry out one step of the workflow "${workflow.name}" (${workflow.description}). ` +
      'Your answer is the output of the step: give nothing else.',
  ];
  if (input !== undefined) parts.push(`Input of the workflow:\n${input}`);
  for (const { step, text } of outputs) parts.push(`Output of step "${step}":\n${text}`);
  parts.push(`The step "${step.name}":\n${step.description}`);
  if (step.output_schema !== undefined) {
    parts.push(
      'Answer with JSON alone, without a fence or a word around it, that matches this schema:\n' +
        JSON.stringify(step.output_schema),
    );
  }
  if (errors.length > 0) {
    const list = errors.map((error) => `- ${error}`).join('\n');
    parts.push(`An earlier attempt at this step failed. Do better where you can:\n${list}`);
  }
  return parts.join('\n\n');
}
