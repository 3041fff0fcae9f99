import {
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  isObject,
  indexOfTask,
  textOf,
} from './chat-request.js';
import { sumIn } from './arithmetic.js';
import { fittingTools } from './fitting-tool.js';
import { whatWasTold } from './json-answer.js';
import { type Told, toldJson } from './told-values.js';
import { stepIn } from './workflow-step.js';

export interface PlannedCall {
  readonly name: string;
  readonly arguments: string;
}

/**
 * The tools that the last user message names, in its order, or else those that it clearly asks for; none once they have
 * answered.
 */
export function planCalls(request: ChatRequest): PlannedCall[] {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (tools.length === 0 || choice === 'none') return [];
  const task = textOf(request.messages[indexOfTask(request.messages)]);
  // A tool that has to be called takes the final output, where a server has no other way to be asked for it.
  if (typeof choice === 'object') {
    const forced = tools.find((tool) => tool.function.name === choice.function.name);
    return forced === undefined ? [] : [callOf(forced, whatWasTold(request))];
  }
  if (toolResults(request).length > 0) return [];
  const named = mentions(task, tools);
  if (named.length === 0) {
    const fitting = isAnsweredAlone(task) ? [] : fittingTools(task, tools);
    const wanted = fitting.length === 0 && choice === 'required' ? tools.slice(0, 1) : fitting;
    return wanted.map((tool) => askedCall(tool, task));
  }
  return named.map(({ tool, end }, at) => askedCall(tool, task.slice(end, named[at + 1]?.start)));
}

/** What the tools said since the last user message: names and texts in the order of the calls. */
export function toolResults(request: ChatRequest): { name: string; text: string }[] {
  const since = request.messages.slice(indexOfTask(request.messages) + 1);
  const calls = new Map(
    since.flatMap((message) => message.tool_calls?.map((c) => [c.id, c.function.name]) ?? []),
  );
  return since
    .filter((message: ChatMessage) => message.role === 'tool')
    .map((message) => ({ name: calls.get(message.tool_call_id ?? '') ?? 'tool', text: textOf(message) }));
}

interface Mention {
  readonly tool: ChatTool;
  readonly start: number;
  readonly end: number;
}

function mentions(task: string, tools: readonly ChatTool[]): Mention[] {
  const byName = new Map(tools.map((tool) => [tool.function.name, tool]));
  const objects = jsonObjects(task);
  const found: Mention[] = [];
  for (const { 0: word, index } of task.matchAll(/[A-Za-z0-9_-]+/g)) {
    const tool = byName.get(word) ?? byName.get(word.replace(/^[_-]+|[_-]+$/g, ''));
    // A name inside the arguments of a call is not a further call.
    const isInside = objects.some(({ start, end }) => index > start && index < end);
    if (tool !== undefined && !isInside) found.push({ tool, start: index, end: index + word.length });
  }
  return found;
}

/** What needs no tool, whatever there is: sums and greetings; a workflow's step has its work told, and names its tools. */
const isAnsweredAlone = (task: string): boolean =>
  sumIn(task) !== undefined || isGreeting(task) || stepIn(task) !== undefined;

export const isGreeting = (task: string): boolean =>
  /\b(hello|hi|hey|greetings|good (morning|evening|afternoon)|introduce|who are you)\b/i.test(task);

const askedCall = (tool: ChatTool, task: string): PlannedCall =>
  callOf(tool, { task, toolName: tool.function.name });

/** Arguments from the JSON object in the task, otherwise what is told of those that the tool's schema requires. */
function callOf({ function: { name, parameters = {} } }: ChatTool, told: Told): PlannedCall {
  const given = jsonObjects(told.task)[0]?.json;
  if (given !== undefined) return { name, arguments: given };
  const least = toldJson(parameters, told, 'demo');
  return { name, arguments: JSON.stringify(isObject(least) ? least : {}) };
}

const maxJsonChars = 20_000;

/** The JSON objects that stand in a text, outermost only. */
function jsonObjects(text: string): { json: string; start: number; end: number }[] {
  const found = [];
  let start = text.indexOf('{');
  while (start >= 0) {
    const json = objectAt(text, start);
    if (json !== undefined) found.push({ json, start, end: start + json.length });
    start = text.indexOf('{', start + (json?.length ?? 1));
  }
  return found;
}

function objectAt(text: string, start: number): string | undefined {
  let end = text.indexOf('}', start);
  for (let tries = 0; end >= 0 && end - start < maxJsonChars && tries < 50; tries++) {
    const json = text.slice(start, end + 1);
    if (isJson(json)) return json;
    end = text.indexOf('}', end + 1);
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
