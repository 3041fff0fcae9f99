import { type Content, type SessionEvent, isFileRef } from '#domain/browser';
import { money } from '../parts/format.js';
import { grouped, oneLine, plainJson, sizeText } from './text.js';

/** Who a key is, by its id. */
export type NameOfKey = (id: string) => string;

/** What a row says of an event, in one line, and what stands at its end. */
export interface Summary {
  readonly text: string;
  readonly note: string;
  /** The note in full, where it is cut or rounded. */
  readonly hover?: string;
}

export const said = (text: string, note = ''): Summary => ({ text, note });
/** @param cost a decimal of US dollars */
const paid = (text: string, cost: string): Summary => ({ text, note: money(cost), hover: `$${cost}` });

const inFile = ({ bytes }: { readonly bytes: number }): string => `a text of ${sizeText(bytes)}`;
const quoted = (content: Content): string => (isFileRef(content) ? inFile(content) : `“${oneLine(content)}”`);
const plain = (content: Content): string => (isFileRef(content) ? inFile(content) : oneLine(content));
const json = (content: Content): string => (isFileRef(content) ? inFile(content) : plainJson(content));

function size(content: Content): string {
  const bytes = isFileRef(content) ? content.bytes : content.length;
  return bytes < 1000 ? '' : sizeText(bytes);
}

/** What the JSON in a text says of itself; of text that is no JSON nothing. */
function parsed(content: Content): Readonly<Record<string, unknown>> {
  if (isFileRef(content)) return {};
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The reason of a decision, or that it has another input than what was asked for. */
const whyOf = (content: Content): string =>
  oneLine(reasonOf(content), 40) || ('input' in parsed(content) ? 'input changed' : '');

const reasonOf = (content: Content): string => {
  const { reason } = parsed(content);
  return typeof reason === 'string' ? oneLine(reason) : '';
};

/** Of JSON text {`tool`, `input` or `content`}. */
function ofTool(content: Content, part: 'input' | 'content'): string {
  const { tool, [part]: value = null } = parsed(content);
  if (typeof tool !== 'string') return json(content);
  return `${tool}  ${plainJson(typeof value === 'string' ? value : JSON.stringify(value))}`.trim();
}

function namesOf(tools: Content): string {
  const names = Object.values(parsed(tools)).map((tool) => (tool as { readonly name?: unknown }).name);
  return oneLine(names.filter((name) => typeof name === 'string').join(', '));
}

const step = ({
  workflow_id: workflow,
  step_id: id,
}: {
  readonly workflow_id: string;
  readonly step_id: string;
}): string => `${workflow} / ${id}`;
const attempt = ({ attempt: n }: { readonly attempt: number | string }): string => `attempt ${n}`;
const tokens = (input: number, output: number): string => `${grouped(input)} in, ${grouped(output)} out`;

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];
const nothing = (): Summary => said('');
const content = (data: { readonly content: Content }): Summary => said(plain(data.content));
const message = (data: { readonly content: Content }): Summary => said(quoted(data.content));

/** What is said of each type, from its data alone. */
export const WORDS: {
  readonly [T in SessionEvent['type']]: (data: DataOf<T>, nameOf: NameOfKey) => Summary;
} = {
  agent_started: nothing,
  agent_task_scheduled: ({ message: text, next_run_at: at }) => said(`${quoted(text)} at ${at}`),
  agent_thinking_start: nothing,
  agent_thinking: content,
  agent_response_start: nothing,
  agent_response: content,
  agent_tool_use_start: nothing,
  agent_tool_use: (data) => said(ofTool(data.content, 'input'), size(data.content)),
  agent_tool_response: (data) => said(ofTool(data.content, 'content'), size(data.content)),
  agent_step: (data) => said(`turn ${data.step}`),
  agent_handoff: ({ agent }) => said(`to ${agent}`),
  agent_workflow_step: (data) => said(step(data), `${data.status}, ${attempt(data)}`),
  agent_final_output: (data) => said(`${data.name}  ${json(data.content)}`, size(data.content)),
  agent_warning: (data) => said(reasonOf(data.content)),
  agent_action_required: ({ kind, content: asked, expires_at: until }) => {
    const what = kind === 'approval' ? '' : `${kind.replace('_', ' ')}: `;
    return said(`${what}${ofTool(asked, 'input')}`, `until ${until.slice(0, 16).replace('T', ' ')} UTC`);
  },
  agent_action_resolved: ({ decision, actor, content: reason }, nameOf) =>
    said(actor === '' ? decision : `${decision} by ${nameOf(actor)}`, whyOf(reason)),
  agent_steered: message,
  agent_drift: (data) => said(`no result on record of ${ofTool(data.content, 'input')}`),
  agent_compacted: ({ content: summary, from, through }) =>
    said(summary === '' ? 'left out without a summary' : quoted(summary), `stands for ${from} to ${through}`),
  agent_cost: ({ cost }) => paid('', cost),
  agent_completed: nothing,
  agent_cancelled: nothing,
  agent_error: ({ code, content: text, retryable }) =>
    said(`${code}: ${oneLine(text)}`, retryable ? 'can be retried' : ''),
  session_opened: (data) => {
    if (!('forked_from' in data)) return said('');
    const { session, at } = data.forked_from;
    return said(`forked from ${session} at event ${at}`);
  },
  session_forked: ({ session, at }) => said(`${session}, at event ${at}`),
  run_requested: ({ message: text, mode, model, retry_of: retry, replay_of: replay }) => {
    if (retry !== undefined) return said(`goes on with ${retry.run}`);
    return replay === undefined ? said(quoted(text), `${mode}, ${model}`) : said(`gives ${replay.run} again`);
  },
  run_claimed: ({ worker, epoch }) => said(driver(worker), epoch > 1 ? nth(epoch) : ''),
  run_refused: ({ code }) => said(code),
  response_requested: nothing,
  items_given: ({ items }) => said(`${items.length} items`),
  response_deleted: ({ response }) => said(response),
  conversation_metadata_set: nothing,
  tools_offered: ({ tools }) => said(isFileRef(tools) ? inFile(tools) : namesOf(tools), size(tools)),
  tool_call_begun: ({ call_id: call }) => said(call),
  tool_task_started: ({ call_id: call }) => said(`${call}: the tool server goes on with it as a task`),
  tool_input_required: ({ call_id: call, keys }) => said(`${call} wants to know ${keys.join(', ')}`),
  tool_input_given: (data) => said(json(data.content)),
  tool_calls_reopened: ({ call_ids: calls }) => said(calls.join(', ')),
  run_parked: () => said('waits for somebody, nobody drives it'),
  run_woken: () => said('can be gone on with'),
  run_steered: message,
  model_called: ({ kind, model, input_tokens: input, output_tokens: output, cost, broken }) => {
    const what = kind === 'turn' ? model : `${kind.replace('_', ' ')}, ${model}`;
    return paid(`${what}, ${tokens(input, output)}${broken ? ', broken off' : ''}`, cost);
  },
  usage_kept: ({ calls }) => said(`sums of what ${grouped(calls.length)} kinds of calls spent`),
  model_turn_completed: ({ finish_reason: reason, tool_calls: calls = [], usage, cost }) => {
    const text = usage ? tokens(usage.input_tokens, usage.output_tokens) : reason;
    const names = calls.map(({ name }) => name).join(', ');
    const line = oneLine(names === '' ? text : `${text}: ${names}`);
    return cost === undefined ? said(line) : paid(line, cost);
  },
  model_turn_failed: (data) => said(oneLine(data.error), attempt(data)),
  tool_call_completed: (data) => said(json(data.content), data.is_error ? 'error' : size(data.content)),
  workflow_attempt_started: (data) => said(step(data), attempt(data)),
  workflow_attempt_failed: (data) => said(`${step(data)}: ${oneLine(data.errors.join('; '))}`, attempt(data)),
  workflow_step_completed: (data) => said(`${step(data)}  ${json(data.output)}`, attempt(data)),
  workflow_tool_responded: (data) => said(step(data), attempt(data)),
  run_cancel_requested: nothing,
  messages_cleared: nothing,
  session_erased: ({ events }) => said(`${grouped(events)} events`),
};

/** Of the name of a replica and its boot. */
export const driver = (worker: string): string => `replica ${oneLine(worker, 24)}`;

export function nth(n: number): string {
  const end = n % 100 > 10 && n % 100 < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${end} claim`;
}
