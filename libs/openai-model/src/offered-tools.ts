import type { ModelRequest, ToolDefinition } from '#agent';
import { plainTool, schemaKey } from './plain-tools.js';
import type { RequestForm } from './request-form.js';
import type { SentMessage } from './sent-message.js';

export type ToolChoice = 'none' | 'required' | { type: 'function'; function: { name: string } };

export interface OfferedTools {
  readonly tools: readonly ToolDefinition[];
  readonly choice?: ToolChoice;
  /** Names of those for which the server has no room. */
  readonly leftOut: readonly string[];
}

/** What is offered as tools, and which of them are to be called. @param messages as they are sent */
export function offeredTools(
  request: ModelRequest,
  form: RequestForm,
  messages: readonly SentMessage[],
): OfferedTools {
  const { forcedTool, tools } = request;
  const hasChoice = !form.omit.has('tool_choice');
  if (tools.length === 0) {
    const earlier = form.maxTools === 0 || isAlone(request, form) ? [] : earlierTools(messages);
    return { tools: earlier, leftOut: [], ...(earlier.length > 0 && hasChoice ? { choice: 'none' } : {}) };
  }
  const wanted = forcedTool !== undefined && form.isRequired ? named(tools, forcedTool) : tools;
  const room = wanted.slice(0, form.maxTools);
  const leftOut = wanted.slice(form.maxTools).map(({ name }) => name);
  const offered = form.plain.size === 0 ? room : room.map((tool) => asTaken(tool, form));
  if (forcedTool === undefined && request.toolChoice !== undefined)
    return { tools: offered, leftOut, ...(hasChoice ? { choice: request.toolChoice } : {}) };
  if (forcedTool === undefined || !hasChoice) return { tools: offered, leftOut };
  const choice = form.isRequired
    ? 'required'
    : ({ type: 'function', function: { name: forcedTool } } as const);
  return { tools: offered, leftOut, choice };
}

const isAlone = ({ responseFormat }: ModelRequest, form: RequestForm): boolean =>
  responseFormat !== undefined && form.isFormatAlone;

const named = (tools: readonly ToolDefinition[], name: string) => tools.filter((tool) => tool.name === name);

function asTaken(tool: ToolDefinition, form: RequestForm): ToolDefinition {
  const level = form.plain.get(schemaKey(tool.parameters));
  return level === undefined ? tool : plainTool(tool, level);
}

const EARLIER = { description: 'Was used earlier. It cannot be called now.', parameters: { type: 'object' } };
const made = new Map<string, ToolDefinition>();
const maxMade = 1000;

/** Some servers refuse calls in the history where no tools are offered. */
function earlierTools(messages: readonly SentMessage[]): ToolDefinition[] {
  const names = new Set<string>();
  for (const message of messages)
    if (message.role === 'assistant') for (const { name } of message.toolCalls ?? []) names.add(name);
  return [...names].slice(0, 100).map((name) => {
    const tool = made.get(name) ?? { name, ...EARLIER };
    if (made.size < maxMade) made.set(name, tool);
    return tool;
  });
}
