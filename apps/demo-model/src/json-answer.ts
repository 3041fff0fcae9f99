import { type ChatRequest, textOf } from './chat-request.js';
import { NOTICE } from './notice.js';
import { toldJson } from './told-values.js';
import { stepIn, stepText } from './workflow-step.js';

/** The messages by which Annals asks for the final output, and for a better one, say the schema; they are not the task. */
const ASKS_FOR_OUTPUT = /^The schema is:$/m;

/** The answer in the form that is asked for: a response format, or that of a workflow's step; undefined: none is. */
export function jsonAnswer(request: ChatRequest, task: string): string | undefined {
  const { response_format: format } = request;
  if (format?.type === 'json_object') return '{}';
  if (format?.type !== 'json_schema') return stepJson(task);
  return JSON.stringify(toldJson(format.json_schema?.schema ?? { type: 'object' }, whatWasTold(request)));
}

/** The task and, where there is one, the answer that was given to it, without what the demo model says of itself. */
export function whatWasTold({ messages }: ChatRequest): { readonly task: string; readonly text?: string } {
  const asked = messages.filter((m) => m.role === 'user' && !ASKS_FOR_OUTPUT.test(textOf(m)));
  const task = textOf(asked.at(-1)).trim();
  const since = asked.length === 0 ? 0 : messages.lastIndexOf(asked.at(-1)!);
  const answer = messages.slice(since).find((m) => m.role === 'assistant' && textOf(m) !== '');
  const [text = ''] = textOf(answer)
    .split(NOTICE)
    .map((part) => part.trim());
  return text === '' ? { task } : { task, text };
}

function stepJson(task: string): string | undefined {
  const step = stepIn(task);
  if (step?.schema === undefined) return undefined;
  return JSON.stringify(toldJson(step.schema, { task: step.input, text: stepText(step) }));
}
