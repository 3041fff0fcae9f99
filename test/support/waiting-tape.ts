import {
  type ActionKind,
  type ActionOutcome,
  type AttemptRef,
  type Draft,
  type TurnToolCall,
  actionId,
} from '#domain';
import { stepTurn, turn } from './session-tape.js';

/** When the actions of these helpers expire, in ms since 1970. */
export const EXPIRES_AT = 1_000_000;

type TurnDraft = Extract<Draft, { type: 'model_turn_completed' }>;

/** The ids of the calls that need somebody, by whom; others need nobody. */
export type Needs = Readonly<Record<string, TurnToolCall['needs']>>;

const needing = ({ type, data }: TurnDraft, needs: Needs): Draft => ({
  type,
  data: {
    ...data,
    tool_calls: (data.tool_calls ?? []).map((call) => ({
      ...call,
      ...(needs[call.id] === undefined ? {} : { needs: needs[call.id]! }),
    })),
  },
});

/** A finished turn with a call of `t` for each name of `needs`, in that order. */
export const askingTurn = (needs: Needs): Draft => needing(turn(...Object.keys(needs)) as TurnDraft, needs);

/** The same, of an attempt of a workflow step. */
export const askingStepTurn = (of: AttemptRef, needs: Needs): Draft =>
  needing(stepTurn(of, '', ...Object.keys(needs)) as TurnDraft, needs);

/** The run's n-th action, from 0. */
export const asks = (
  run: string,
  n: number,
  kind: ActionKind = 'approval',
  expiresAt = EXPIRES_AT,
): Draft => ({
  type: 'agent_action_required',
  data: {
    action_id: actionId(run, n),
    kind,
    content: '{"tool":"t","input":{}}',
    expires_at: new Date(expiresAt).toISOString(),
  },
});

export const resolves = (
  run: string,
  n: number,
  decision: ActionOutcome = 'approve',
  content = '{}',
): Draft => ({
  type: 'agent_action_resolved',
  data: { action_id: actionId(run, n), decision, actor: 'key_2', content },
});

export const begun = (call_id: string, step?: AttemptRef): Draft => ({
  type: 'tool_call_begun',
  data: { call_id, ...(step === undefined ? {} : { step }) },
});

export const parked: Draft = { type: 'run_parked', data: {} };

export const steers = (id: string, content: string, actor = 'key_1'): Draft => ({
  type: 'run_steered',
  data: { id, content, actor },
});

export const steered = (content: string): Draft => ({ type: 'agent_steered', data: { content } });
