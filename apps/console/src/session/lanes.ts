import type { RecordedSessionEvent, SessionEvent } from '#domain/browser';
import type { LogEvent } from './log-event.js';

/** The lanes of the timeline, from top to bottom. */
export const LANES = ['Runs', 'Model', 'Tools', 'Waits', 'Told', 'Steps'] as const;
export type Lane = (typeof LANES)[number];

const LANE_OF: Readonly<Record<SessionEvent['type'], Lane>> = {
  session_opened: 'Runs',
  session_forked: 'Runs',
  session_erased: 'Runs',
  run_requested: 'Runs',
  run_claimed: 'Runs',
  run_refused: 'Runs',
  response_requested: 'Runs',
  items_given: 'Runs',
  response_deleted: 'Runs',
  conversation_metadata_set: 'Runs',
  run_steered: 'Runs',
  run_cancel_requested: 'Runs',
  agent_started: 'Runs',
  agent_task_scheduled: 'Runs',
  agent_steered: 'Runs',
  agent_handoff: 'Runs',
  agent_warning: 'Runs',
  agent_completed: 'Runs',
  agent_cancelled: 'Runs',
  agent_error: 'Runs',
  agent_cost: 'Runs',
  agent_final_output: 'Runs',
  messages_cleared: 'Runs',
  usage_kept: 'Runs',
  agent_thinking_start: 'Model',
  agent_thinking: 'Model',
  agent_response_start: 'Model',
  agent_response: 'Model',
  agent_step: 'Model',
  agent_compacted: 'Model',
  model_called: 'Model',
  model_turn_completed: 'Model',
  model_turn_failed: 'Model',
  tools_offered: 'Tools',
  agent_tool_use_start: 'Tools',
  agent_tool_use: 'Tools',
  agent_tool_response: 'Tools',
  agent_drift: 'Tools',
  tool_call_begun: 'Tools',
  tool_call_completed: 'Tools',
  tool_task_started: 'Tools',
  tool_input_required: 'Waits',
  tool_input_given: 'Waits',
  tool_calls_reopened: 'Waits',
  agent_action_required: 'Waits',
  agent_action_resolved: 'Waits',
  run_parked: 'Waits',
  run_woken: 'Waits',
  agent_workflow_step: 'Steps',
  workflow_attempt_started: 'Steps',
  workflow_attempt_failed: 'Steps',
  workflow_step_completed: 'Steps',
  workflow_tool_responded: 'Steps',
};

export const laneOf = ({ known }: LogEvent): Lane => (known === null ? 'Runs' : LANE_OF[known.type]);

/** Where a block begins, and what its pieces are. */
const BLOCK_OF: Readonly<Record<string, string>> = {
  agent_thinking_start: 'agent_thinking',
  agent_response_start: 'agent_response',
  agent_tool_use_start: 'agent_tool_use',
};

/** The type of the pieces that a `_start` announces; null: it is none. */
export const blockOf = (type: string): string | null => BLOCK_OF[type] ?? null;

export const isPiece = (type: string): boolean => type === 'agent_thinking' || type === 'agent_response';

/** Nobody can say whether the call was made. */
const UNKNOWN = 'outcome unknown';

const ERRORS: ReadonlySet<string> = new Set<SessionEvent['type']>([
  'agent_error',
  'model_turn_failed',
  'workflow_attempt_failed',
  'run_refused',
]);

/** Whether something went wrong here. */
export function isError(event: RecordedSessionEvent | null): boolean {
  if (event === null) return false;
  if (ERRORS.has(event.type) || isUnknownOutcome(event)) return true;
  return event.type === 'tool_call_completed' && event.data.is_error === true;
}

export function isUnknownOutcome(event: RecordedSessionEvent | null): boolean {
  if (event?.type !== 'tool_call_completed' && event?.type !== 'agent_tool_response') return false;
  const { content } = event.data;
  return typeof content === 'string' && content.includes(UNKNOWN);
}

/** What quiet never hides: errors, waits, and who took a run over. */
const isLoud = ({ known }: LogEvent): boolean =>
  isError(known) ||
  (known?.type === 'run_claimed' && known.data.epoch > 1) ||
  known?.type === 'agent_action_required' ||
  known?.type === 'agent_action_resolved';

/** Which events a log shows. */
export interface Filter {
  readonly hidden: ReadonlySet<Lane>;
  readonly isQuiet: boolean;
}

export const SHOW_ALL: Filter = { hidden: new Set(), isQuiet: false };
const NOISE: ReadonlySet<string> = new Set(['agent_step', 'agent_workflow_step']);

/** @param isInternal it is no event that a client of a run sees */
export function isShown(event: LogEvent, isInternal: boolean, { hidden, isQuiet }: Filter): boolean {
  if (hidden.has(laneOf(event))) return false;
  if (!isQuiet || isLoud(event)) return true;
  return !isInternal && !NOISE.has(event.type) && !isPiece(event.type);
}
