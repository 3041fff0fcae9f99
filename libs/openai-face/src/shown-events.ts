import type { RecordedSessionEvent } from '#domain';

/** What a response shows something of, or has to know of to show the rest; decisions and requests apart. */
const SHOWN = [
  'agent_started',
  'run_cancel_requested',
  'agent_thinking_start',
  'agent_response_start',
  'agent_thinking',
  'agent_response',
  'model_turn_failed',
  'run_claimed',
  'model_called',
  'model_turn_completed',
  'agent_tool_use',
  'tool_calls_reopened',
  'tool_input_required',
  'agent_action_required',
  'tool_call_completed',
  'agent_final_output',
  'agent_completed',
  'agent_error',
  'agent_cancelled',
] as const;

export type ShownEvent = Extract<RecordedSessionEvent, { type: (typeof SHOWN)[number] }>;

const TYPES: ReadonlySet<string> = new Set(SHOWN);

export const isShown = (event: RecordedSessionEvent): event is ShownEvent => TYPES.has(event.type);
