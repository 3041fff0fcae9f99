import type { Draft } from './draft.js';
import type { ProjectId, Revision, RunId, SessionId, TaskId } from './ids.js';
import type { Content, FileRef } from './content.js';
import type { Fork } from './fork/fork.js';
import type { GivenItem } from './given/given-item.js';
import { NO_OPEN_CALLS, type OpenCalls, openCallsBehind, unpaired } from './given/open-calls.js';
import { taskId } from './tasks/task-ids.js';
import type { ScheduleRequest } from './tasks/schedule.js';
import { Problem, notFound } from './problem.js';
import { requireSession, requireShared } from './require-session.js';
import type { Mode, OnBusy, ReplayOf, RunConfig, Trigger } from './run-config.js';
import type { WaitingRun } from './session-events.js';
import { endOf, endOfTheDeadly } from './run-ends.js';
import { formatDollars } from './money/dollars.js';
import { carriedOn } from './actions/waiting-run.js';
import type { CurrentRun } from './current-run.js';
import { type SessionState, isIdle, isParked, knowsRun } from './session-state.js';
import { canBeSteered, refusalOf } from './start-refusal.js';

export interface RunRequest {
  readonly run: RunId;
  readonly message: Content;
  readonly mode: Mode;
  readonly model: string;
  readonly config: RunConfig | FileRef;
  readonly trigger: Trigger;
  /** The replica that accepts it. */
  readonly replica: string;
  readonly onBusy: OnBusy;
  /** Sealed. */
  readonly callback?: string;
  readonly schedules?: readonly ScheduleRequest[];
  /** The task whose slot starts it. */
  readonly task?: TaskId;
  /** The run that it goes on with. */
  readonly retry_of?: { readonly run: RunId; readonly requested: Revision };
  /** The run that it gives again. */
  readonly replay_of?: ReplayOf;
  readonly items?: readonly GivenItem[];
  readonly ends_unheard?: true;
  /** Of a response that it is asked for. */
  readonly response?: { readonly settings: Content; readonly payload: string };
}

export type StartDecision =
  | { readonly kind: 'start' | 'queue'; readonly events: readonly Draft[] }
  /** The message goes into the run under way. */
  | { readonly kind: 'steer'; readonly run: RunId; readonly events: readonly Draft[] }
  /** The refusal is written before it is told. */
  | { readonly kind: 'refuse'; readonly events: readonly Draft[]; readonly problem: Problem }
  /** The run is there already: whoever asked follows it. */
  | { readonly kind: 'known' };

/** Who starts a run, and whether there is room for it now. */
export interface StartTerms {
  readonly project: ProjectId;
  /** Id of the key. */
  readonly actor: string;
  readonly worker: string;
  /** Revision that the first event decided here will have. */
  readonly next: number;
  /** false: the run waits even in an idle session, because the service is full. */
  readonly hasRoom: boolean;
  /** Another try of the same request may still be stored, if nothing is written before it. */
  readonly mayArriveLate?: boolean;
}

/** A run in a session that exists. @throws Problem not_found, session_busy */
export function decideStart(state: SessionState, request: RunRequest, terms: StartTerms): StartDecision {
  requireSession(state, terms.project);
  if (knowsRun(state, request.run)) return { kind: 'known' };
  requireShared(state);
  const problem = faultIn(request, state.openCalls) ?? refusalOf(state, request);
  if (problem !== null) return refused(problem, terms);
  if (isIdle(state)) return begin(request, state, terms);
  if (request.onBusy === 'steer' && canBeSteered(state)) return steer(state.current, request, terms);
  const cancel = request.onBusy === 'interrupt' ? cancelOf(state) : [];
  return { kind: 'queue', events: [...requested(request), ...cancel] };
}

/**
 * A run that goes on where another one of the session ended: the last, which failed or was cancelled, with nothing after it.
 * @throws Problem not_found, conflict
 */
export function decideRetry(state: SessionState, request: RunRequest, terms: StartTerms): StartDecision {
  requireSession(state, terms.project);
  if (knowsRun(state, request.run)) return { kind: 'known' };
  requireShared(state);
  const problem = refusalOf(state, request);
  return problem === null ? begin(request, state, terms) : refused(problem, terms);
}

/** Messages that wait for a run's next turn. */
export const MAX_STEERED = 100;
/** Keys that may steer a run: its claims name them all. */
const MAX_STEERERS = 100;

function steer(
  current: CurrentRun,
  { run: id, message: content }: RunRequest,
  terms: StartTerms,
): StartDecision {
  const { run, steered, actors } = current;
  const { actor } = terms;
  if (steered.some((known) => known.id === id)) return { kind: 'known' };
  if (steered.length >= MAX_STEERED) return busy(`${MAX_STEERED} messages wait for this run already`, terms);
  if (!actors.includes(actor) && actors.length > MAX_STEERERS)
    return busy(`${MAX_STEERERS} keys have steered this run already`, terms);
  return { kind: 'steer', run, events: [{ type: 'run_steered', data: { id, content, actor }, run }] };
}

function begin(request: RunRequest, { openCalls }: SessionState, terms: StartTerms): StartDecision {
  const events = requested(request);
  if (!terms.hasRoom) return { kind: 'queue', events };
  const at = terms.next + events.length - 1;
  const begun = { ...request, openCalls: openCallsBehind(openCalls, request.items) };
  return { kind: 'start', events: [...events, ...started(begun, terms.worker, at)] };
}

/** Of OpenAI's interface: what it asks for is refused where a model would not be told all of it. */
const faultIn = ({ response, items = [] }: RunRequest, open: OpenCalls): Problem | null =>
  response === undefined ? null : unpaired(open, items);

const busy = (detail: string, terms: StartTerms): StartDecision =>
  refused(new Problem('session_busy', detail), terms);

function refused(problem: Problem, { mayArriveLate = false }: StartTerms): StartDecision {
  if (!mayArriveLate) throw problem;
  return { kind: 'refuse', events: [{ type: 'run_refused', data: { code: problem.code } }], problem };
}

/**
 * A new session and its first run: four events that stand on the log before the run says anything, or two where it has
 * to wait. null where the session is there already. @param fork what it goes on from; absent: nothing
 */
export function decideOpen(
  state: SessionState,
  request: RunRequest,
  { worker, hasRoom, fork }: Pick<StartTerms, 'worker' | 'hasRoom'> & { readonly fork?: Fork | undefined },
): readonly Draft[] | null {
  if (state.isErased) throw notFound('the session');
  if (state.project !== null) return null;
  const before = fork?.open_calls ?? NO_OPEN_CALLS;
  const fault = faultIn(request, before);
  if (fault !== null) throw fault;
  const opened: readonly Draft[] = [{ type: 'session_opened', data: fork ?? {} }, ...requested(request)];
  if (!hasRoom) return opened;
  const openCalls = openCallsBehind(before, request.items);
  return [...opened, ...started({ ...request, openCalls }, worker, opened.length - 1)];
}

/**
 * Nothing where the run has ended, was never there, or is being cancelled already. One that nobody drives, because it waits
 * for somebody, ends at once.
 */
export function decideCancel(state: SessionState, run: RunId): readonly Draft[] {
  const { current } = state;
  if (current?.run === run && isParked(state)) return endOf(current, { type: 'agent_cancelled', data: {} });
  const running = state.current?.run === run && !state.current.isCancelRequested;
  const waits = state.waiting.some((w) => w.run === run && !w.isCancelled);
  return running || waits ? [{ type: 'run_cancel_requested', data: {}, run }] : [];
}

/** @throws Problem not_found */
export function decideClear(state: SessionState, project: ProjectId): readonly Draft[] {
  requireSession(state, project);
  return [{ type: 'messages_cleared', data: {} }];
}

/** Nothing can follow it. @param kept what stays known of it, in the clear, before it @param forks those that are left */
export function decideErase(
  state: SessionState,
  project: ProjectId,
  events: number,
  {
    key,
    kept = [],
    forks = [],
  }: {
    readonly key?: string | undefined;
    readonly kept?: readonly Draft[];
    readonly forks?: readonly SessionId[];
  } = {},
): readonly Draft[] {
  requireSession(state, project);
  const data = {
    events: events + kept.length,
    ...(key === undefined ? {} : { key }),
    ...(forks.length === 0 ? {} : { forks }),
  };
  return [...kept, { type: 'session_erased', data }];
}

/**
 * The next run that waits, if it may start now. Decide it again after a conflict, never re-base it: what the rival wrote
 * may have changed whose turn it is.
 */
export function decideClaimNext(
  state: SessionState,
  run: RunId,
  worker: string,
  begun: Omit<Begun, 'run'> = {},
): readonly Draft[] | null {
  const [next, ...rest] = state.waiting;
  if (state.current !== null || next === undefined || next.run !== run) return null;
  const { openCalls } = state;
  if (!next.isCancelled) return started({ ...begun, run, openCalls }, worker, next.requested, rest);
  return [
    ...started({ run, openCalls }, worker, next.requested, rest, true),
    { type: 'agent_cost', data: { cost: '0' }, run },
    { type: 'agent_cancelled', data: {}, run },
  ];
}

/**
 * A claim on a run that another worker drove, if it is still the session's current one under the same epoch; with its end,
 * where it has ended its processes.
 */
export function decideTakeOver(
  state: SessionState,
  run: RunId,
  epoch: number,
  worker: string,
): readonly Draft[] | null {
  const { current } = state;
  if (current?.run !== run || current.epoch !== epoch || isParked(state)) return null;
  const more = {
    ...carriedOn(current),
    ...(state.waiting.length > 0 ? { waiting: state.waiting } : {}),
    ...(current.isCancelRequested ? { isCancelRequested: true as const } : {}),
    ...(current.silent > 0 ? { silent: current.silent } : {}),
    ...(current.fruitless > 0 ? { fruitless: current.fruitless } : {}),
    ...(current.cost > 0n ? { cost: formatDollars(current.cost) } : {}),
    ...(current.isClosed ? { isClosed: true as const } : {}),
    ...(current.endsUnheard ? { endsUnheard: true as const } : {}),
    ...(state.openCalls.length > 0 ? { openCalls: state.openCalls } : {}),
  };
  const data = { worker, epoch: epoch + 1, requested: current.requested, ...more };
  return [{ type: 'run_claimed', data, run }, ...endOfTheDeadly(current)];
}

/** The request of the run is the last of them. */
function requested({ run, onBusy, response: data, ...request }: RunRequest): readonly Draft[] {
  const interrupts = onBusy === 'interrupt' ? ({ interrupts: true } as const) : {};
  const asked: Draft = { type: 'run_requested', data: { ...request, ...interrupts }, run };
  return data === undefined ? [asked] : [{ type: 'response_requested', data, run }, asked];
}

type Begun = Pick<RunRequest, 'run' | 'schedules' | 'retry_of' | 'ends_unheard'>;

function started(
  { run, schedules = [], retry_of, ends_unheard, openCalls }: Begun & { readonly openCalls: OpenCalls },
  worker: string,
  requested: Revision,
  waiting: readonly WaitingRun[] = [],
  isCancelled = false,
): readonly Draft[] {
  const more = {
    ...(waiting.length > 0 ? { waiting } : {}),
    ...(isCancelled ? { isCancelled: true as const } : {}),
    ...(retry_of === undefined ? {} : { isRetry: true as const }),
    ...(ends_unheard ? { endsUnheard: true as const } : {}),
    ...(openCalls.length > 0 ? { openCalls } : {}),
  };
  return [
    { type: 'run_claimed', data: { worker, epoch: 1, requested, ...more }, run },
    { type: 'agent_started', data: {}, run },
    ...schedules.map((schedule, index) => taskScheduled(run, index, schedule)),
  ];
}

function taskScheduled(run: RunId, index: number, request: ScheduleRequest): Draft {
  const { given: schedule, message, next_at } = request;
  const next_run_at = new Date(next_at).toISOString();
  const task_id = taskId(run, index);
  return { type: 'agent_task_scheduled', data: { task_id, schedule, message, next_run_at }, run };
}

function cancelOf(state: SessionState): readonly Draft[] {
  return state.current === null ? [] : decideCancel(state, state.current.run);
}
