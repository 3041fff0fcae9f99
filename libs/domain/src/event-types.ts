import type { PublicEvent } from './public-event.js';
import type { InternalEvent } from './session-events.js';

const PUBLIC: Record<PublicEvent['type'], true> = {
  agent_started: true,
  agent_task_scheduled: true,
  agent_thinking_start: true,
  agent_thinking: true,
  agent_response_start: true,
  agent_response: true,
  agent_tool_use_start: true,
  agent_tool_use: true,
  agent_tool_response: true,
  agent_step: true,
  agent_handoff: true,
  agent_workflow_step: true,
  agent_final_output: true,
  agent_warning: true,
  agent_action_required: true,
  agent_action_resolved: true,
  agent_steered: true,
  agent_drift: true,
  agent_compacted: true,
  agent_cost: true,
  agent_completed: true,
  agent_cancelled: true,
  agent_error: true,
};

const INTERNAL: Record<InternalEvent['type'], true> = {
  session_opened: true,
  session_forked: true,
  run_requested: true,
  response_requested: true,
  items_given: true,
  response_deleted: true,
  conversation_metadata_set: true,
  run_claimed: true,
  run_refused: true,
  tools_offered: true,
  tool_call_begun: true,
  tool_task_started: true,
  tool_input_required: true,
  tool_input_given: true,
  tool_calls_reopened: true,
  run_parked: true,
  run_woken: true,
  run_steered: true,
  model_called: true,
  usage_kept: true,
  model_turn_completed: true,
  model_turn_failed: true,
  tool_call_completed: true,
  workflow_attempt_started: true,
  workflow_attempt_failed: true,
  workflow_step_completed: true,
  workflow_tool_responded: true,
  run_cancel_requested: true,
  messages_cleared: true,
  session_erased: true,
};

export const isPublicType = (type: string): boolean => Object.hasOwn(PUBLIC, type);

/** Whether the event is the last public one of its run. */
export const isEndType = (type: string): boolean =>
  type === 'agent_completed' || type === 'agent_error' || type === 'agent_cancelled';

/** Whether a turn ends there, with its calls and their results, or a message of a user stands there by itself. */
export const isTurnEndType = (type: string): boolean =>
  type === 'agent_step' || type === 'agent_steered' || isEndType(type);

/** Whether this version knows the type. */
export const isKnownType = (type: string): boolean => isPublicType(type) || Object.hasOwn(INTERNAL, type);
