import type { ModelMessage, ModelRequest } from '#agent';
import type { RecordedEvent } from '#event-log';
import { type Content, isFileRef, isPublicType } from '#domain';

/** The step whose attempt the request is a turn of (its name without `Step `); null: it is the main agent's. */
export function stepAsked({ messages }: ModelRequest): string | null {
  const message = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return /^You carry out one step .*^The step "Step ([^"]+)":$/ms.exec(message)?.[1] ?? null;
}

/** Whether the model is asked for the final output. */
export const isFinalAsked = ({ responseFormat, forcedTool }: ModelRequest): boolean =>
  responseFormat !== undefined || forcedTool !== undefined;

/** Results of tools since the last message of a user. */
export const resultsIn = ({ messages }: ModelRequest): ModelMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user')).filter(({ role }) => role === 'tool');

export const systemOf = (request: ModelRequest | undefined): string => request?.messages[0]?.content ?? '';

export const lastUserOf = (request: ModelRequest | undefined): string =>
  request?.messages.findLast(({ role }) => role === 'user')?.content ?? '';

/** What a client sees of a run, a line an event: the type and what tells one from another. */
export const publicLines = (events: readonly RecordedEvent[], run: string): string[] =>
  events.filter(({ type, meta }) => meta.run === run && isPublicType(type)).map(lineOf);

function lineOf({ type, data }: RecordedEvent): string {
  const { content, step, cost, agent, status, step_id, attempt, code } = data as Fields;
  const said = [status, step_id, attempt, agent, step, cost, code, shortOf(content)];
  return [type.replace('agent_', ''), ...said.filter((part) => part !== undefined)].join(' ');
}

type Fields = Readonly<Record<string, string | undefined>> & { readonly content?: Content };

/** Of JSON text of a tool its name. */
function shortOf(content: Content | undefined): string | undefined {
  if (content !== undefined && isFileRef(content)) return '(file)';
  if (!content?.startsWith('{"tool"')) return content;
  return (JSON.parse(content) as { tool: string }).tool;
}
