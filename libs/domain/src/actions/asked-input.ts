import type { Content } from '../content.js';
import type { ActionId } from '../ids.js';
import type { SessionEvent } from '../session-events.js';
import type { ActionOutcome } from './action.js';

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

/** Something that a tool server wants to be answered before it goes on with a call. */
export interface AskedInput {
  /** As the server calls it. */
  readonly key: string;
  /** null: nobody is asked yet. */
  readonly action: ActionId | null;
  /** null: nobody has decided yet. */
  readonly decision: ActionOutcome | null;
  /** JSON text; absent: there is none. */
  readonly answer?: Content;
}

/** All that it wants at a time. */
export interface AskedInputs {
  /** How often it has asked. */
  readonly round: number;
  /** What it wants back with the answers, as it came. */
  readonly state?: Content;
  readonly asked: readonly AskedInput[];
}

export const inputsOf = (
  { keys, state }: DataOf<'tool_input_required'>,
  before: AskedInputs | undefined,
): AskedInputs => ({
  round: (before?.round ?? 0) + 1,
  ...(state === undefined ? {} : { state }),
  asked: keys.map((key) => ({ key, action: null, decision: null })),
});

/** The first that nobody was asked about is what the action is about. */
export function askedFor(inputs: AskedInputs, action: ActionId): AskedInputs {
  const at = inputs.asked.findIndex((input) => input.action === null);
  return { ...inputs, asked: inputs.asked.map((input, i) => (i === at ? { ...input, action } : input)) };
}

export const decidedOn = (
  inputs: AskedInputs,
  { action_id: action, decision }: DataOf<'agent_action_resolved'>,
): AskedInputs => ({
  ...inputs,
  asked: inputs.asked.map((input) =>
    input.action === action && input.decision === null ? { ...input, decision } : input,
  ),
});

export const answeredWith = (
  inputs: AskedInputs,
  { action, content: answer }: DataOf<'tool_input_given'>,
): AskedInputs => ({
  ...inputs,
  asked: inputs.asked.map((input) => (input.action === action ? { ...input, answer } : input)),
});

export const isAnswered = ({ asked }: AskedInputs): boolean =>
  asked.every(({ decision }) => decision !== null);
