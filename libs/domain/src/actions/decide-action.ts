import type { Content } from '../content.js';
import type { ActionId, ProjectId } from '../ids.js';
import type { Draft } from '../draft.js';
import { endOf } from '../run-ends.js';
import type { CurrentRun } from '../current-run.js';
import { type SessionState, isParked } from '../session-state.js';
import { type ActionDecision, type ActionOutcome, DECISION_OF, type OpenAction } from './action.js';

/** What is decided on an action, by whom and when. */
export interface ActionVerdict {
  readonly action: ActionId;
  readonly decision: ActionDecision;
  /** Id of the key. */
  readonly actor: string;
  /** JSON text of {`reason`?, `input`?, `budget`?}. */
  readonly content: Content;
  /** What the agent is told as the result of the call, where the decision is one: of `answer` and `deny`. */
  readonly result: Content;
  /** ms since 1970 */
  readonly now: number;
}

export type ActionRuling =
  | { readonly kind: 'decided'; readonly events: readonly Draft[] }
  /** It was too late: that is written, and nothing else. */
  | { readonly kind: 'expired'; readonly events: readonly Draft[] }
  /** Its run is being cancelled. */
  | { readonly kind: 'ending' }
  /** It is not open: the log says what became of it, if it ever was. */
  | { readonly kind: 'not_open' };

/** What the agent is told of a call on which nobody decided in time. */
export const EXPIRED_RESULT = 'the call was not made: nobody decided on it in time';

/** The open action of that id, with its run; null: there is none. */
export function openAction(
  { project, current }: SessionState,
  of: ProjectId,
  id: ActionId,
): { readonly action: OpenAction; readonly run: CurrentRun } | null {
  const action = project === of ? current?.actions.find((open) => open.id === id) : undefined;
  return action === undefined || current === null ? null : { action, run: current };
}

/** The first decision on the log holds. It fits the kind of the action: whoever asks for it has seen to that. */
export function decideAction(state: SessionState, project: ProjectId, verdict: ActionVerdict): ActionRuling {
  const open = openAction(state, project, verdict.action);
  if (open === null) return { kind: 'not_open' };
  if (open.run.isCancelRequested) return { kind: 'ending' };
  if (verdict.now >= open.action.expires_at)
    return { kind: 'expired', events: expiry(state, open.run, open.action) };
  return { kind: 'decided', events: closed(open.run, open.action, verdict) };
}

/** Closes an action whose time is over. Nothing where it is closed already, or has time left. */
export function decideExpiry(state: SessionState, id: ActionId, now: number): readonly Draft[] {
  const action = state.current?.actions.find((open) => open.id === id);
  if (action === undefined || state.current === null || now < action.expires_at) return [];
  return expiry(state, state.current, action);
}

/** Whether a decision of this name can close an action of this kind. */
export const fitsKind = (decision: ActionDecision, kind: OpenAction['kind']): boolean =>
  decision === 'deny' || DECISION_OF[kind] === decision;

/** Where nobody would read what is said after it, the run ends, by whoever drives it if somebody does. */
function expiry(state: SessionState, run: CurrentRun, action: OpenAction): readonly Draft[] {
  const events = closed(run, action, {
    decision: 'expired',
    actor: '',
    content: '{}',
    result: EXPIRED_RESULT,
  });
  if (run.endsUnheard !== true) return events;
  const end: readonly Draft[] = isParked(state)
    ? endOf(run, { type: 'agent_cancelled', data: {} })
    : [{ type: 'run_cancel_requested', data: {}, run: run.run }];
  return [...events, ...(run.isCancelRequested ? [] : end)];
}

interface Closing extends Omit<ActionVerdict, 'decision' | 'action' | 'now'> {
  readonly decision: ActionOutcome;
}

/**
 * What a tool server is answered stands behind the decision. A call that is not going to be made, or that its caller has
 * carried out, has its result in the same append.
 */
function closed(
  { run }: CurrentRun,
  { id, kind, call_id, step }: OpenAction,
  { decision, actor, content, result }: Closing,
): readonly Draft[] {
  const resolved: Draft = {
    type: 'agent_action_resolved',
    data: { action_id: id, decision, actor, content },
    run,
  };
  if (kind === 'input' && decision === 'answer')
    return [resolved, { type: 'tool_input_given', data: { action: id, content: result }, run }];
  if (call_id === undefined || decision === 'approve') return [resolved];
  const data = {
    call_id,
    content: result,
    ...(decision === 'answer' ? {} : { is_error: true as const }),
    ...(step === undefined ? {} : { step }),
    action: id,
  };
  return [resolved, { type: 'tool_call_completed', data, run }];
}
