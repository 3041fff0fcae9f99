import type { Content } from './content.js';
import { Problem, notFound } from './problem.js';
import type { Mode, OnBusy, RunConfig, Trigger } from './run-config.js';
import type { SessionEvent, WaitingRun } from './session-events.js';
import { type SessionState, isIdle, knowsRun } from './session-state.js';

/** An event that is decided but not yet written; `run` goes into its envelope. */
export type Draft = SessionEvent & { readonly run?: string };

export interface RunRequest {
  readonly run: string;
  readonly message: Content;
  readonly mode: Mode;
  readonly model: string;
  readonly config: RunConfig;
  readonly trigger: Trigger;
  /** The replica that accepts it. */
  readonly replica: string;
  readonly onBusy: OnBusy;
}

/** Runs that may wait in a session; firings of tasks do not count. */
export const MAX_WAITING = 100;

export type StartDecision =
  | { readonly kind: 'start' | 'queue'; readonly events: readonly Draft[] }
  /** The run is there already: whoever asked follows it. */
  | { readonly kind: 'known' };

/** A run in a session that exists. @throws Problem not_found, session_busy */
export function decideStart(
  state: SessionState,
  request: RunRequest,
  project: string,
  worker: string,
): StartDecision {
  requireSession(state, project);
  if (knowsRun(state, request.run)) return { kind: 'known' };
  if (isIdle(state)) return { kind: 'start', events: [requested(request), ...started(request.run, worker)] };
  if (request.onBusy === 'reject')
    throw new Problem('session_busy', 'another run of this session is under way');
  if (request.trigger !== 'task' && state.waiting.length >= MAX_WAITING) {
    throw new Problem('session_busy', `${MAX_WAITING} runs wait in this session already`);
  }
  const cancel = request.onBusy === 'interrupt' ? cancelOf(state) : [];
  return { kind: 'queue', events: [requested(request), ...cancel] };
}

/** The four events that stand on the log before a new session's first run says anything. */
export function openWith(request: RunRequest, worker: string): readonly Draft[] {
  return [{ type: 'session_opened', data: {} }, requested(request), ...started(request.run, worker, 1)];
}

/** Nothing where the run has ended, was never there, or is being cancelled already. */
export function decideCancel(state: SessionState, run: string): readonly Draft[] {
  const running = state.current?.run === run && !state.current.isCancelRequested;
  const waits = state.waiting.some((w) => w.run === run && !w.isCancelled);
  return running || waits ? [{ type: 'run_cancel_requested', data: {}, run }] : [];
}

/** @throws Problem not_found */
export function decideClear(state: SessionState, project: string): readonly Draft[] {
  requireSession(state, project);
  return [{ type: 'messages_cleared', data: {} }];
}

/**
 * The next run that waits, if it may start now. Decide it again after a conflict, never re-base it: what the rival wrote
 * may have changed whose turn it is.
 */
export function decideClaimNext(state: SessionState, run: string, worker: string): readonly Draft[] | null {
  const [next, ...rest] = state.waiting;
  if (state.current !== null || next === undefined || next.run !== run) return null;
  if (!next.isCancelled) return started(run, worker, next.requested, rest);
  return [
    ...started(run, worker, next.requested, rest, true),
    { type: 'agent_cost', data: { cost: '0' }, run },
    { type: 'agent_cancelled', data: {}, run },
  ];
}

/** A claim on a run that another worker drove, if it is still the session's current one under the same epoch. */
export function decideTakeOver(
  state: SessionState,
  run: string,
  epoch: number,
  worker: string,
): readonly Draft[] | null {
  const { current } = state;
  if (current?.run !== run || current.epoch !== epoch) return null;
  const waiting = state.waiting.length > 0 ? { waiting: state.waiting } : {};
  return [
    {
      type: 'run_claimed',
      data: { worker, epoch: epoch + 1, requested: current.requested, ...waiting },
      run,
    },
  ];
}

/** @throws Problem not_found */
export function requireSession(state: SessionState, project: string): void {
  if (state.project !== project) throw notFound('the session');
}

function requested({ run, onBusy, ...request }: RunRequest): Draft {
  const interrupts = onBusy === 'interrupt' ? ({ interrupts: true } as const) : {};
  return { type: 'run_requested', data: { ...request, ...interrupts }, run };
}

const THIS_APPEND = -1;

function started(
  run: string,
  worker: string,
  requested: number = THIS_APPEND,
  waiting: readonly WaitingRun[] = [],
  isCancelled = false,
): readonly Draft[] {
  const more = {
    ...(waiting.length > 0 ? { waiting } : {}),
    ...(isCancelled ? { isCancelled: true as const } : {}),
  };
  return [
    { type: 'run_claimed', data: { worker, epoch: 1, requested, ...more }, run },
    { type: 'agent_started', data: {}, run },
  ];
}

function cancelOf(state: SessionState): readonly Draft[] {
  return state.current === null ? [] : decideCancel(state, state.current.run);
}
