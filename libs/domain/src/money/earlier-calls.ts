import type { Mode } from '../run-config.js';
import type { SessionEvent } from '../session-events.js';
import type { ModelCall } from './model-call.js';

type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

/** The call of a turn that was recorded before calls had events of their own; null: its call has one. */
export function callOfTurn(
  turn: TurnData,
  of: { readonly mode: Mode; readonly model: string },
): ModelCall | null {
  const { usage, cost } = turn;
  if (usage === undefined || cost === undefined) return null;
  const { estimated, ...counts } = usage;
  const kind = turn.step === undefined ? (turn.final_output ? 'final_output' : 'turn') : 'step';
  const isFree = cost === '0' && usage.input_tokens + usage.output_tokens > 0;
  return {
    ...counts,
    kind,
    mode: of.mode,
    model: of.model,
    ...(estimated ? { estimated } : {}),
    reported: {},
    price: isFree ? null : UNKNOWN_PRICE,
    cost,
  };
}

/** It was not kept. */
const UNKNOWN_PRICE = { input: '', output: '' };
