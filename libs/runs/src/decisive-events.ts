/** Events after which a session may have something else to do. */
export const DECISIVE: ReadonlySet<string> = new Set([
  'run_requested',
  'run_claimed',
  'run_cancel_requested',
  'run_parked',
  'run_woken',
  'agent_action_resolved',
  'agent_completed',
  'agent_error',
  'agent_cancelled',
  'session_erased',
]);

/** What others write about a run that is driven. */
export const TOLD_TO_DRIVER: ReadonlySet<string> = new Set([
  'agent_action_resolved',
  'tool_call_completed',
  'tool_input_given',
  'run_steered',
  'response_requested',
]);

/** After which the context of the next run is not what that of the run under way comes to. */
export const CHANGES_CONTEXT: ReadonlySet<string> = new Set(['messages_cleared', 'items_given']);
