/** Events after which a session may have something else to do. */
export const DECISIVE: ReadonlySet<string> = new Set([
  'run_requested',
  'run_claimed',
  'run_cancel_requested',
  'agent_completed',
  'agent_error',
  'agent_cancelled',
  'session_erased',
]);
