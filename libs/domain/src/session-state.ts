import * as waiting from './actions/waiting-run.js';
import type { CurrentRun } from './current-run.js';
import { NO_OPEN_CALLS, type OpenCalls, answeredBy } from './given/open-calls.js';
import { openCallsAfter } from './given/open-calls-fold.js';
import type { ProjectId, Revision, RunId } from './ids.js';
import { parseDollars } from './money/dollars.js';
import { assertNever } from './problem.js';
import type { RecordedSessionEvent, WaitingRun } from './session-events.js';

/** What a command to a session is decided against. Runs that ended leave only their ids, and of those the newest few. */
export interface SessionState {
  /** null: nothing is there */
  readonly project: ProjectId | null;
  readonly current: CurrentRun | null;
  /** In the order in which they will start. */
  readonly waiting: readonly WaitingRun[];
  /**
   * The newest runs that ended, and of messages that were taken in the runs that they would have started, so that a command
   * that arrives twice is recognised.
   */
  readonly ended: readonly RunId[];
  /** The run that ended last, where it can be gone on with: it failed or was cancelled, and nothing came after it. */
  readonly broken: { readonly run: RunId; readonly requested: Revision } | null;
  /** How many forks were made of it since the event from which on it is known. */
  readonly forks: number;
  /** Of what was given: the next request is to bring their results. */
  readonly openCalls: OpenCalls;
  /** For good: nothing can be done with it any more. */
  readonly isErased?: true;
}

export const NO_SESSION: SessionState = {
  project: null,
  current: null,
  waiting: [],
  ended: [],
  broken: null,
  forks: 0,
  openCalls: NO_OPEN_CALLS,
};

const ENDED_KEPT = 64;

export function evolveSession(state: SessionState, event: RecordedSessionEvent): SessionState {
  if (state.isErased) return state;
  const next = evolve(state, event);
  const openCalls = openCallsAfter(state, event);
  return openCalls === next.openCalls ? next : { ...next, openCalls };
}

function evolve(state: SessionState, event: RecordedSessionEvent): SessionState {
  switch (event.type) {
    case 'session_erased':
      return { ...NO_SESSION, isErased: true };
    case 'session_opened':
      return { ...state, project: event.meta.project };
    case 'session_forked':
      return { ...state, forks: state.forks + 1 };
    case 'run_requested':
      return request(state, event);
    case 'run_claimed':
      return claim(state, event);
    case 'run_cancel_requested':
      return requestCancel(state, runOf(event));
    case 'agent_completed':
    case 'agent_cancelled':
    case 'agent_error':
      return end(state, runOf(event), event.type !== 'agent_completed');
    // They stand in the append of the first claim.
    case 'agent_started':
    case 'agent_task_scheduled':
      return state;
    // What others write tells nothing of whoever drives the run.
    case 'tool_input_given':
      return state;
    case 'agent_action_resolved':
      return change(state, event, (current) => waiting.resolve(current, event));
    case 'run_steered':
      return change(state, event, (current) => waiting.steer(current, event));
    case 'run_parked':
      return change(state, event, () => ({ park: 'parked', silent: 0, fruitless: 0 }));
    case 'run_woken':
      return change(state, event, ({ park }) => (park === 'parked' ? { park: 'woken' } : {}));
    case 'tool_input_required':
      return change(write(state, event, true), event, (current) => waiting.suspendTask(current, event));
    case 'tool_task_started':
      return change(write(state, event, true), event, (current) => waiting.startTask(current, event));
    case 'tool_call_completed': {
      const next = write(state, event, true);
      if (next.current === null || next.current.tasks.length === 0) return next;
      return change(next, event, (current) => waiting.endTask(current, event));
    }
    case 'agent_action_required':
      return change(write(state, event, false), event, (current) => waiting.ask(current, event));
    case 'agent_steered':
      return takeIn(write(state, event, true), event);
    case 'model_called':
      return change(write(state, event, false), event, (current) => costWith(current, event));
    case 'model_turn_completed':
      return change(write(state, event, true), event, () => ({ asking: waiting.askedBy(event) }));
    case 'tool_calls_reopened':
      return change(write(state, event, false), event, () => ({ asking: waiting.reopenedBy(event) }));
    case 'messages_cleared':
      return clear(write(state, event, false));
    // What is not done again when the run is claimed anew.
    case 'agent_tool_response':
    case 'agent_step':
    case 'agent_final_output':
    case 'agent_compacted':
    case 'workflow_attempt_failed':
    case 'workflow_step_completed':
      return write(state, event, true);
    case 'agent_thinking_start':
    case 'agent_thinking':
    case 'agent_response_start':
    case 'agent_response':
    case 'agent_tool_use_start':
    case 'agent_tool_use':
    case 'agent_handoff':
    case 'agent_workflow_step':
    case 'agent_warning':
    case 'agent_drift':
    case 'agent_cost':
    case 'tools_offered':
    case 'tool_call_begun':
    case 'run_refused':
    case 'response_requested':
    case 'items_given':
    case 'response_deleted':
    case 'conversation_metadata_set':
    case 'usage_kept':
    case 'model_turn_failed':
    case 'workflow_attempt_started':
    case 'workflow_tool_responded':
      return write(state, event, false);
    default:
      return assertNever(event);
  }
}

const costWith = ({ cost }: CurrentRun, { data }: Of<'model_called'>): Pick<CurrentRun, 'cost'> => ({
  cost: cost + parseDollars(data.cost),
});

/** Mostly there is nothing to note: it is asked of every piece of text. */
function write(state: SessionState, event: RecordedSessionEvent, isFurther: boolean): SessionState {
  const { current } = state;
  if (current === null || current.run !== event.meta.run) return state;
  if (current.silent === 0 && !isFurther) return state;
  const cost = event.type === 'model_turn_completed' ? parseDollars(event.data.cost ?? '0') : 0n;
  const fruitless = isFurther ? 0 : current.fruitless;
  return { ...state, current: { ...current, silent: 0, fruitless, cost: current.cost + cost } };
}

function change(
  state: SessionState,
  event: RecordedSessionEvent,
  to: (current: CurrentRun) => Partial<CurrentRun>,
): SessionState {
  const { current } = state;
  if (current === null || current.run !== event.meta.run) return state;
  return { ...state, current: { ...current, ...to(current) } };
}

/** Whether the run waits for somebody, and nobody drives it. */
export const isParked = ({ current }: SessionState): boolean => current?.park === 'parked';

/** Calls with a task at a tool server that waits for nobody. */
export const tasksThatGoOn = ({ tasks }: CurrentRun): CurrentRun['tasks'] =>
  tasks.filter(({ isAsking }) => isAsking !== true);

/** Whether it waits for a task that a tool server goes on with: whoever asked for that has the servers. */
export const isLeftToServer = (current: CurrentRun): boolean =>
  current.park === 'parked' && tasksThatGoOn(current).length > 0;

export const isIdle = (state: SessionState): boolean => state.current === null && state.waiting.length === 0;

export const knowsRun = (state: SessionState, run: RunId): boolean =>
  state.current?.run === run || state.waiting.some((w) => w.run === run) || state.ended.includes(run);

/** The run that an event of a run belongs to. */
export function runOf(event: RecordedSessionEvent): string {
  if (event.meta.run === undefined) throw new TypeError(`${event.type} at ${event.revision} names no run`);
  return event.meta.run;
}

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

function request(state: SessionState, event: Of<'run_requested'>): SessionState {
  const run = runOf(event);
  if (knowsRun(state, run)) return state;
  const answers = answeredBy(state.openCalls, event.data.items);
  const entry: WaitingRun = {
    run,
    requested: event.revision,
    replica: event.data.replica,
    interrupts: event.data.interrupts === true,
    isCancelled: false,
    ...(event.data.trigger === 'task' ? { isFiring: true as const } : {}),
    ...(event.data.ends_unheard ? { endsUnheard: true as const } : {}),
    ...(answers.length > 0 ? { answers } : {}),
  };
  const queue = [...state.waiting];
  const behind = queue.findIndex((w) => !w.interrupts);
  if (entry.interrupts && behind >= 0) queue.splice(behind, 0, entry);
  else queue.push(entry);
  return { ...state, project: event.meta.project, waiting: queue, broken: null };
}

function claim(state: SessionState, event: Of<'run_claimed'>): SessionState {
  const run = runOf(event);
  if (event.isUnreadable) return unreadClaim(state, run, event.revision);
  const { worker, epoch, requested, silent = 0, fruitless = 0, cost = '0' } = event.data;
  const isCancelRequested = event.data.isCancelRequested === true || event.data.isCancelled === true;
  return {
    ...state,
    project: event.meta.project,
    current: {
      run,
      requested,
      worker,
      epoch,
      claimed: event.revision,
      isCancelRequested,
      cost: parseDollars(cost),
      silent: silent + 1,
      fruitless: fruitless + 1,
      ...waiting.waitingAtClaim(event),
      ...(event.data.isCancelled || event.data.isClosed ? { isClosed: true as const } : {}),
      ...(event.data.endsUnheard ? { endsUnheard: true as const } : {}),
    },
    waiting: event.data.waiting ?? [],
    broken: null,
  };
}

/** Somebody claimed the run, and nobody can tell who: it is as if he were gone. */
function unreadClaim(state: SessionState, run: RunId, claimed: Revision): SessionState {
  const before = state.current?.run === run ? state.current : null;
  const waited = state.waiting.find((w) => w.run === run);
  return {
    ...state,
    current: {
      run,
      requested: before?.requested ?? waited?.requested ?? -1,
      worker: '',
      epoch: (before?.epoch ?? 0) + 1,
      claimed,
      isCancelRequested: before?.isCancelRequested ?? waited?.isCancelled ?? false,
      cost: before?.cost ?? 0n,
      silent: 1,
      fruitless: (before?.fruitless ?? 0) + 1,
      ...waitingOf(before),
      ...(before?.isClosed || waited?.isCancelled ? { isClosed: true as const } : {}),
    },
    waiting: state.waiting.filter((w) => w.run !== run),
  };
}

function waitingOf(before: CurrentRun | null): waiting.Waiting {
  if (before === null) return waiting.NOT_WAITING;
  const { actions, steered, actors, tasks } = before;
  return { ...waiting.NOT_WAITING, actions, steered, actors, tasks };
}

function requestCancel(state: SessionState, run: RunId): SessionState {
  if (state.current?.run === run) return { ...state, current: { ...state.current, isCancelRequested: true } };
  if (!state.waiting.some((w) => w.run === run)) return state;
  return { ...state, waiting: state.waiting.map((w) => (w.run === run ? { ...w, isCancelled: true } : w)) };
}

/** The request that brought the message may come again: it is known like one whose run has ended. */
function takeIn(state: SessionState, event: Of<'agent_steered'>): SessionState {
  const next = change(state, event, (current) => waiting.takeIn(current));
  const [message] = next === state ? [] : (state.current?.steered ?? []);
  return message === undefined ? next : { ...next, ended: withEnded(state, message.id) };
}

function end(state: SessionState, run: RunId, isBroken: boolean): SessionState {
  const { current } = state;
  if (current?.run !== run) return state;
  const broken = isBroken && !current.isClosed ? { run, requested: current.requested } : null;
  return { ...state, current: null, ended: withEnded(state, run), broken };
}

function clear(state: SessionState): SessionState {
  const { current } = state;
  return { ...state, broken: null, current: current && { ...current, isClosed: true } };
}

const withEnded = ({ ended }: SessionState, run: RunId): readonly RunId[] => [
  ...ended.slice(1 - ENDED_KEPT),
  run,
];
