import { isAboutCall } from './actions/action.js';
import {
  type CallState,
  callsOf,
  toolResultOf,
  withAction,
  withAskedInput,
  withBegun,
  withUndecidedForgotten,
  withDecision,
  withInput,
  withInputAction,
  withResult,
  withTask,
} from './actions/waiting-calls.js';
import { type Content, isFileRef } from './content.js';
import type { ActionId } from './ids.js';
import { type PicoDollars, parseDollars } from './money/dollars.js';
import { callOfTurn } from './money/earlier-calls.js';
import { type CallSums, NO_CALLS, withCall } from './money/model-call.js';
import { assertNever } from './problem.js';
import type { Mode, RunConfig } from './run-config.js';
import type { RunEnd } from './run-end.js';
import { MAX_WARNINGS, type RunWarning, warningOf } from './run-warning.js';
import type { SessionEvent } from './session-events.js';

export type { RunEnd };

/** What the driver decides its next action from: a fold of the run's own events. */
export interface RunState {
  readonly mode: Mode;
  readonly model: string;
  readonly message: Content;
  readonly config: RunConfig;
  /** Turns of the main agent whose `agent_step` is written. */
  readonly steps: number;
  /** A turn of the main agent is complete, of the run or of one that it goes on with. */
  readonly hasTurn: boolean;
  /** The latest turn is complete, its `agent_step` is not written yet. */
  readonly isStepOpen: boolean;
  /** The first turn of what was asked for is still to come: a choice of tools counts for it. */
  readonly isChoiceOpen: boolean;
  readonly calls: readonly CallState[];
  /** Of all model calls of the run. */
  readonly spent: CallSums;
  readonly isCancelRequested: boolean;
  /** The specialist to whom the conversation was handed off last. */
  readonly agent?: string;
  /** What the model answered to the request for the final output, repairs included; absent: it was not asked. */
  readonly finalAnswers?: readonly Content[];
  /** `agent_final_output` is written. */
  readonly hasFinalOutput?: true;
  /** How many actions there were so far, those of workflow steps among them, and which of them are open. */
  readonly asked: number;
  readonly openActions: readonly ActionId[];
  /** A tool server had a task of it, or of a workflow step. */
  readonly hadTask?: true;
  /** Decisions since the latest claim. */
  readonly decisions: number;
  /** The run has asked for its tool servers; what came of it. */
  readonly servers?: { readonly action: ActionId; readonly outcome: 'open' | 'supplied' | 'denied' };
  /** What the run may cost before it waits, as it was raised last; absent: nothing holds it. */
  readonly limit?: PicoDollars;
  /** It has asked for more of its own budget, or of one that it shares; what came of it. */
  readonly budget?: { readonly action: ActionId; readonly outcome: 'open' | 'raised' | 'denied' };
  /** Messages that came in and that the model was not given yet. */
  readonly steered: readonly Content[];
  /** A message was taken in behind the latest turn: the model has to be asked about it. */
  readonly hasNews: boolean;
  /** What its `agent_warning`s said, in their order. */
  readonly warnings: readonly RunWarning[];
  readonly end: RunEnd | null;
  /** The latest turn is one of a workflow step. */
  readonly isAskingForStep?: boolean;
}

export function newRun(request: Pick<RunState, 'mode' | 'model' | 'message' | 'config'>): RunState {
  return {
    mode: request.mode,
    model: request.model,
    message: request.message,
    config: request.config,
    steps: 0,
    hasTurn: false,
    isStepOpen: false,
    isChoiceOpen: true,
    calls: [],
    warnings: [],
    asked: 0,
    openActions: [],
    decisions: 0,
    steered: [],
    hasNews: false,
    spent: NO_CALLS,
    isCancelRequested: false,
    end: null,
    ...(request.config.budget === undefined ? {} : { limit: parseDollars(request.config.budget) }),
  };
}

/**
 * A run that goes on where another one ended: with its last turn, what is known of that turn's calls, and the answers to the
 * request for the final output, but for those that it failed with. Steps, cost and limits are its own, and so is the event
 * that gives the final output; whoever was asked, and has not decided, is asked anew.
 */
export function retried(
  { message, agent, hasTurn, isStepOpen, calls, steered, hasNews, finalAnswers, end }: RunState,
  request: Pick<RunState, 'mode' | 'model' | 'config'>,
): RunState {
  const hasFailedWith = end?.kind === 'failed' && end.code === 'final_output_invalid';
  const more = {
    ...(agent === undefined ? {} : { agent }),
    ...(finalAnswers === undefined || hasFailedWith ? {} : { finalAnswers }),
  };
  const isChoiceOpen = !hasTurn;
  const open = { hasTurn, isStepOpen, isChoiceOpen, calls: withUndecidedForgotten(calls), steered, hasNews };
  return { ...newRun({ ...request, message }), ...open, ...more };
}

/**
 * Takes the events of one run, from after its `run_requested` on. What a workflow step does is no turn of the main agent:
 * it adds tokens and cost, nothing else.
 */
export function evolveRun(state: RunState, event: SessionEvent): RunState {
  switch (event.type) {
    case 'model_called':
      return { ...state, spent: withCall(state.spent, event.data) };
    case 'model_turn_completed':
      return completeTurn(state, event.data);
    case 'tool_call_completed':
      if (event.data.step !== undefined) return state;
      return { ...state, calls: withResult(state.calls, event.data.call_id, toolResultOf(event.data)) };
    case 'tool_call_begun':
      if (event.data.step !== undefined) return state;
      return { ...state, calls: withBegun(state.calls, event.data.call_id) };
    case 'tool_input_required':
      return askInput(state, event.data);
    case 'tool_input_given':
      return { ...state, calls: withInput(state.calls, event.data) };
    case 'tool_task_started':
      return startTask(state, event.data);
    case 'agent_action_required':
      return ask(state, event.data);
    case 'agent_action_resolved':
      return resolve(state, event.data);
    case 'tool_calls_reopened':
      return { ...state, isAskingForStep: event.data.step !== undefined };
    case 'run_claimed':
      return { ...state, decisions: 0 };
    case 'response_requested':
      return event.data.config === undefined
        ? state
        : { ...state, config: event.data.config, isChoiceOpen: true };
    case 'run_steered':
      return { ...state, steered: [...state.steered, event.data.content] };
    case 'agent_steered':
      return takeIn(state);
    case 'agent_tool_response':
      return respond(state);
    case 'agent_step':
      return { ...state, steps: state.steps + 1, isStepOpen: false };
    case 'agent_handoff':
      return { ...state, agent: event.data.agent };
    case 'agent_final_output':
      return { ...state, hasFinalOutput: true };
    case 'agent_warning':
      return { ...state, warnings: [...state.warnings, warningOf(event)].slice(0, MAX_WARNINGS) };
    case 'run_cancel_requested':
      return { ...state, isCancelRequested: true };
    case 'agent_completed':
      return { ...state, end: { kind: 'completed' } };
    case 'agent_cancelled':
      return { ...state, end: { kind: 'cancelled' } };
    case 'agent_error': {
      const { code, content, retryable } = event.data;
      return { ...state, end: { kind: 'failed', code, message: content, isRetryable: retryable } };
    }
    case 'agent_started':
    case 'agent_task_scheduled':
    case 'agent_thinking_start':
    case 'agent_thinking':
    case 'agent_response_start':
    case 'agent_response':
    case 'agent_tool_use_start':
    case 'agent_tool_use':
    case 'agent_workflow_step':
    case 'agent_drift':
    case 'agent_compacted':
    case 'agent_cost':
    case 'session_opened':
    case 'session_forked':
    case 'run_requested':
    case 'run_refused':
    case 'items_given':
    case 'response_deleted':
    case 'conversation_metadata_set':
    case 'tools_offered':
    case 'run_parked':
    case 'run_woken':
    case 'usage_kept':
    case 'model_turn_failed':
    case 'workflow_attempt_started':
    case 'workflow_attempt_failed':
    case 'workflow_step_completed':
    case 'workflow_tool_responded':
    case 'messages_cleared':
    case 'session_erased':
      return state;
    default:
      return assertNever(event);
  }
}

type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

function completeTurn(state: RunState, turn: TurnData): RunState {
  const call = callOfTurn(turn, state);
  const next = call === null ? state : { ...state, spent: withCall(state.spent, call) };
  if (turn.step !== undefined) return { ...next, isAskingForStep: true };
  if (turn.final_output) return { ...next, finalAnswers: [...(state.finalAnswers ?? []), turn.text ?? ''] };
  return {
    ...next,
    hasTurn: true,
    isStepOpen: true,
    isChoiceOpen: false,
    hasNews: false,
    isAskingForStep: false,
    calls: callsOf(turn),
  };
}

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

function askInput(state: RunState, data: DataOf<'tool_input_required'>): RunState {
  const isAskingForStep = data.step !== undefined;
  const calls = isAskingForStep ? state.calls : withAskedInput(state.calls, data);
  return { ...state, isAskingForStep, calls };
}

function startTask(state: RunState, { call_id: id, step, task }: DataOf<'tool_task_started'>): RunState {
  const calls = step === undefined ? withTask(state.calls, id, task) : state.calls;
  return { ...state, calls, hadTask: true };
}

/** Actions of one turn stand directly behind it, so the latest turn is the one that asks. */
function ask(state: RunState, { action_id: id, kind }: DataOf<'agent_action_required'>): RunState {
  const asked = { ...state, asked: state.asked + 1, openActions: [...state.openActions, id] };
  if (kind === 'tool_servers') return { ...asked, servers: { action: id, outcome: 'open' } };
  if (kind === 'budget') return { ...asked, budget: { action: id, outcome: 'open' } };
  if (state.isAskingForStep === true) return asked;
  if (kind === 'input') return { ...asked, calls: withInputAction(state.calls, id) };
  if (!isAboutCall(kind)) return asked;
  return { ...asked, calls: withAction(state.calls, id) };
}

function resolve(state: RunState, data: DataOf<'agent_action_resolved'>): RunState {
  const { action_id: id, decision } = data;
  const outcome = decision === 'supply' ? 'supplied' : 'denied';
  return {
    ...state,
    decisions: state.decisions + 1,
    openActions: state.openActions.filter((open) => open !== id),
    calls: withDecision(state.calls, data),
    ...(state.servers?.action === id ? { servers: { action: id, outcome } } : {}),
    ...(state.budget?.action === id ? raised(data) : {}),
  };
}

/** A budget that the run shares is raised elsewhere: then nothing is said of it here. */
function raised({
  action_id: action,
  decision,
  content,
}: DataOf<'agent_action_resolved'>): Partial<RunState> {
  if (decision !== 'raise') return { budget: { action, outcome: 'denied' } };
  const { budget } = (isFileRef(content) ? {} : JSON.parse(content)) as { readonly budget?: string };
  const limit = budget === undefined ? {} : { limit: parseDollars(budget) };
  return { budget: { action, outcome: 'raised' }, ...limit };
}

/** What was said before is not the last word any more: final output is asked for anew. */
function takeIn(state: RunState): RunState {
  const next = { ...state, steered: state.steered.slice(1), hasNews: true };
  delete next.finalAnswers;
  delete next.hasFinalOutput;
  return next;
}

/**
 * Responses follow in the order of the calls, so each one is the first call's that has none. They are written when every
 * call has its result: one that comes before that is of a call that a workflow step made.
 */
function respond(state: RunState): RunState {
  if (state.calls.some((c) => c.result === null)) return state;
  const at = state.calls.findIndex((c) => !c.isResponded);
  return { ...state, calls: state.calls.map((c, i) => (i === at ? { ...c, isResponded: true } : c)) };
}
