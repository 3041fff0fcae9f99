import type { ActionId } from '../ids.js';
import type { Content } from '../content.js';
import { type AskedInputs, answeredWith, askedFor, decidedOn, inputsOf, isAnswered } from './asked-input.js';
import { type ResultFile, shownImages } from '../result-file.js';
import type { SessionEvent } from '../session-events.js';
import type { ServerTask, TurnToolCall } from '../turn-tool-call.js';

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

/** What a call waits for, and what came of it. */
export interface CallAction {
  readonly id: ActionId;
  /** null: nobody has decided yet */
  readonly decided: Pick<DataOf<'agent_action_resolved'>, 'decision' | 'content'> | null;
}

export interface ToolResult {
  readonly content: Content;
  readonly isError: boolean;
  /** What a model that can see is shown besides; absent: nothing. */
  readonly images?: readonly ResultFile[];
}

/** A tool call of a turn. */
export interface CallState {
  readonly call: TurnToolCall;
  /** null: no result on the log */
  readonly result: ToolResult | null;
  readonly isResponded: boolean;
  /** Absent: nobody is asked about it. */
  readonly action?: CallAction;
  /** Of one that a person has released: the log holds the intent to make it. */
  readonly isBegun?: true;
  /** Its server wants to know more before it goes on. */
  readonly inputs?: AskedInputs;
  /** The run before this one ended while its server waited to be told more: nothing came of it, so it is made anew. */
  readonly isPutOff?: true;
  /** The server goes on with it: it is asked, and the call not made again. */
  readonly task?: ServerTask;
}

/** The calls of a turn, before anything came of them. */
export const callsOf = ({ tool_calls = [] }: DataOf<'model_turn_completed'>): readonly CallState[] =>
  tool_calls.map((call) => ({ call, result: null, isResponded: false }));

/**
 * Whether the call can be neither made nor given up before more is heard: nobody has decided, or the decision brings the
 * result, which stands behind it and may not be read yet.
 */
export const isUndecided = ({ call, action, result, inputs }: CallState): boolean =>
  result === null &&
  ((call.needs !== undefined && action?.decided?.decision !== 'approve') ||
    (inputs !== undefined && !isAnswered(inputs)));

/** Whether the call is released by a person, and was not begun yet. */
export const isReleased = ({ action, result, isBegun, inputs }: CallState): boolean =>
  result === null && inputs === undefined && action?.decided?.decision === 'approve' && isBegun !== true;

/**
 * Whether somebody else has part in what becomes of the call: its server goes on with it, or a person or the caller is
 * asked, or has decided, also where that was in a run that this one goes on with. It is not given up before they are heard.
 */
export const concernsOthers = ({ call, result, task, isBegun }: CallState): boolean =>
  result === null && (task !== undefined || (call.needs !== undefined && isBegun !== true));

/** The first call that needs somebody, and of which nobody was asked yet, is what the action is about. */
export function withAction(calls: readonly CallState[], id: ActionId): readonly CallState[] {
  const at = calls.findIndex(({ call, action }) => call.needs !== undefined && action === undefined);
  return calls.map((c, i) => (i === at ? { ...c, action: { id, decided: null } } : c));
}

export function withDecision(
  calls: readonly CallState[],
  data: DataOf<'agent_action_resolved'>,
): readonly CallState[] {
  const { action_id: id, decision, content } = data;
  return withInputs(calls, (inputs) => decidedOn(inputs, data)).map((c) =>
    c.action?.id === id && c.action.decided === null
      ? { ...c, action: { id, decided: { decision, content } } }
      : c,
  );
}

/** What the server wants to know: the call is not under way any more, and its server holds nothing of it. */
export const withAskedInput = (
  calls: readonly CallState[],
  data: DataOf<'tool_input_required'>,
): readonly CallState[] =>
  calls.map((c) => {
    if (c.call.id !== data.call_id || c.result !== null) return c;
    const { isBegun: _, ...next } = c;
    return { ...next, inputs: inputsOf(data, c.inputs) };
  });

/** Those that somebody is asked about behind it. */
export function withInputAction(calls: readonly CallState[], id: ActionId): readonly CallState[] {
  const at = calls.findIndex(({ inputs }) => inputs?.asked.some(({ action }) => action === null) === true);
  return calls.map((c, i) =>
    i === at && c.inputs !== undefined ? { ...c, inputs: askedFor(c.inputs, id) } : c,
  );
}

export const withInput = (
  calls: readonly CallState[],
  data: DataOf<'tool_input_given'>,
): readonly CallState[] => withInputs(calls, (inputs) => answeredWith(inputs, data));

const withInputs = (
  calls: readonly CallState[],
  to: (inputs: AskedInputs) => AskedInputs,
): readonly CallState[] => calls.map((c) => (c.inputs === undefined ? c : { ...c, inputs: to(c.inputs) }));

/** Whoever was asked and has not decided is asked anew; what a server wanted to know, it is to say again. */
export const withUndecidedForgotten = (calls: readonly CallState[]): readonly CallState[] =>
  calls.map((call) => {
    const wasPutOff = call.inputs !== undefined && call.result === null && call.isBegun !== true;
    const next = { ...call, ...(wasPutOff ? { isPutOff: true as const } : {}) };
    delete next.inputs;
    if (call.action?.decided === null && call.result === null) delete next.action;
    return next;
  });

/** Whether somebody has to be asked about it first. */
export const isUnasked = ({ call, action, result }: CallState): boolean =>
  call.needs !== undefined && action === undefined && result === null;

export const withBegun = (calls: readonly CallState[], id: string): readonly CallState[] =>
  calls.map((c) => (c.call.id === id ? { ...c, isBegun: true } : c));

export const withTask = (calls: readonly CallState[], id: string, task: ServerTask): readonly CallState[] =>
  calls.map((c) => (c.call.id === id && c.result === null ? { ...c, task } : c));

/** The first result holds. */
export const withResult = (
  calls: readonly CallState[],
  id: string,
  result: ToolResult,
): readonly CallState[] => calls.map((c) => (c.call.id === id && c.result === null ? { ...c, result } : c));

/** The result that an event brings. */
export const toolResultOf = ({ content, is_error, files }: DataOf<'tool_call_completed'>): ToolResult => {
  const images = shownImages(files);
  return { content, isError: is_error === true, ...(images.length === 0 ? {} : { images }) };
};
