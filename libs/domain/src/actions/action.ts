import type { Content } from '../content.js';
import type { ActionId, Revision, RunId } from '../ids.js';
import type { AttemptRef } from '../workflow.js';

/**
 * Why a run waits, and what is asked (`content` of `agent_action_required`):
 * `approval`, `tool` {`tool`, `input`}: a call is to be released, or to be carried out by the caller;
 * `tool_servers` {`servers`}: the run's servers are to be sent again;
 * `budget` {`spent`, `limit`, `of`: `key/ID` or `project/NAME`, if not the run's own}; `input`: a tool server asks.
 */
export type ActionKind = 'approval' | 'tool' | 'budget' | 'tool_servers' | 'input';

/** Whether an action of this kind is about a call of the turn that stands before it, which is not made before that. */
export const isAboutCall = (kind: ActionKind): boolean => kind === 'approval' || kind === 'tool';

/** What a person or a program can decide. */
export type ActionDecision = 'approve' | 'answer' | 'raise' | 'supply' | 'deny';

/** How an action was closed: by somebody, or by time. */
export type ActionOutcome = ActionDecision | 'expired';

/** What closes an action of a kind, besides `deny`. */
export const DECISION_OF: Readonly<Record<ActionKind, ActionDecision>> = {
  approval: 'approve',
  tool: 'answer',
  budget: 'raise',
  tool_servers: 'supply',
  input: 'answer',
};

/** Seconds, unless the run says another. */
export const ACTION_EXPIRES_S = 86_400;

/** Actions of one run that are open at a time: a claim names them all. */
export const MAX_OPEN_ACTIONS = 200;

/** A call of a run's latest turn, or of that of an attempt of a workflow step. */
export interface CallPlace {
  readonly call_id: string;
  readonly step?: AttemptRef;
}

/** The same for the same call, whichever attempt of its step it is looked at from. */
export const keyOfPlace = ({
  call_id,
  step,
}: {
  readonly call_id: string;
  readonly step?: Omit<AttemptRef, 'attempt'> | undefined;
}): string => (step === undefined ? call_id : JSON.stringify([step.call_id, step.step_id, call_id]));

/** A call that a tool server goes on with by itself. */
export interface TaskPlace extends CallPlace {
  /** Not before somebody has decided on what the server wants to know. */
  readonly isAsking?: true;
}

/** An action that nobody has decided on yet. */
export interface OpenAction {
  readonly id: ActionId;
  readonly kind: ActionKind;
  /** Revision of its `agent_action_required`. */
  readonly asked: Revision;
  /** ms since 1970 */
  readonly expires_at: number;
  /** The call that waits for it, and the attempt of a workflow step that made the call. */
  readonly call_id?: string;
  readonly step?: AttemptRef;
}

/** A message that came while a run was under way. */
export interface SteeringMessage {
  /** The id that its run would have had, had there been none under way: a repeat is known by it. */
  readonly id: RunId;
  readonly content: Content;
  /** Id of the key that sent it. */
  readonly actor: string;
}

/** A tool as the model is offered it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly parameters: object;
  /** Where it is one of a tool server. */
  readonly server?: string;
  readonly tool?: string;
  /** Of several servers of that name, which one in the order of the request; absent: the first. */
  readonly server_index?: number;
}
