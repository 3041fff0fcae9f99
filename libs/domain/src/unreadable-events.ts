import type { RecordedSessionEvent, SessionEvent } from './session-events.js';

/** What is shown, to people and models, in the place of text that cannot be read. */
export const UNREADABLE_TEXT = '[this part of the record cannot be read]';

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

const EMPTY = {} as const;
const text = { content: UNREADABLE_TEXT };
const attempt = { call_id: '', tool_call_id: '', workflow_id: '', step_id: '', attempt: 0 };
const warning = { code: 'events_unreadable', reason: 'a warning stands on the log that cannot be read' };

/**
 * Data that stand for those of an event that does not open: they say no more than its type does. What must not be guessed
 * (who claimed a run, what it was asked to do) is refused by whoever would act on it.
 */
const STAND_INS: { readonly [T in SessionEvent['type']]: DataOf<T> } = {
  agent_started: EMPTY,
  agent_task_scheduled: { task_id: '', schedule: '', message: UNREADABLE_TEXT, next_run_at: '' },
  agent_thinking_start: EMPTY,
  agent_thinking: text,
  agent_response_start: EMPTY,
  agent_response: text,
  agent_tool_use_start: EMPTY,
  agent_tool_use: { content: JSON.stringify({ tool: '', input: UNREADABLE_TEXT }) },
  agent_tool_response: { content: JSON.stringify({ tool: '', content: UNREADABLE_TEXT }) },
  agent_step: { step: '' },
  agent_handoff: { agent: '' },
  agent_workflow_step: { workflow_id: '', step_id: '', status: 'failed', attempt: '0' },
  agent_final_output: { name: '', content: 'null' },
  agent_warning: { content: JSON.stringify(warning) },
  agent_action_required: { action_id: '', kind: 'input', content: '{}', expires_at: '' },
  agent_action_resolved: { action_id: '', decision: 'deny', actor: '', content: '{}' },
  agent_steered: text,
  agent_drift: { content: JSON.stringify({ tool: '', input: UNREADABLE_TEXT }) },
  agent_compacted: { content: '', from: '', through: '' },
  agent_cost: { cost: '0' },
  agent_completed: EMPTY,
  agent_cancelled: EMPTY,
  agent_error: { content: UNREADABLE_TEXT, code: 'internal', retryable: false },
  session_opened: EMPTY,
  session_forked: { session: '', at: -1 },
  run_requested: {
    message: UNREADABLE_TEXT,
    mode: 'base',
    model: '',
    config: EMPTY,
    trigger: 'request',
    replica: '',
  },
  response_requested: { settings: '{}' },
  items_given: { items: [] },
  response_deleted: { response: '' },
  conversation_metadata_set: { metadata: '{}' },
  run_claimed: { worker: '', epoch: 0, requested: -1 },
  run_refused: { code: '' },
  tools_offered: { tools: '[]' },
  tool_call_begun: { call_id: '' },
  tool_input_required: { call_id: '', keys: [] },
  tool_input_given: { action: '', content: '{}' },
  tool_task_started: { call_id: '', task: { id: '', poll_ms: 0, started_at: 0 } },
  tool_calls_reopened: { call_ids: [] },
  run_parked: EMPTY,
  run_woken: EMPTY,
  run_steered: { id: '', content: UNREADABLE_TEXT, actor: '' },
  model_called: {
    kind: 'turn',
    mode: 'base',
    model: '',
    input_tokens: 0,
    output_tokens: 0,
    reported: {},
    price: null,
    cost: '0',
  },
  usage_kept: { calls: [] },
  model_turn_completed: { finish_reason: '' },
  model_turn_failed: { attempt: 0, error: '' },
  tool_call_completed: { call_id: '', content: UNREADABLE_TEXT },
  workflow_attempt_started: attempt,
  workflow_attempt_failed: { ...attempt, errors: [], next_at: null },
  workflow_step_completed: { ...attempt, output: UNREADABLE_TEXT },
  workflow_tool_responded: attempt,
  run_cancel_requested: EMPTY,
  messages_cleared: EMPTY,
  session_erased: { events: 0 },
};

/** The event with data that can be asked for; itself where its own open. */
export function withReadableData(event: RecordedSessionEvent): RecordedSessionEvent {
  if (event.isUnreadable !== true) return event;
  const data = { value: STAND_INS[event.type], enumerable: true };
  return Object.create(event, { data }) as RecordedSessionEvent;
}

/** Of these a run can go on without the data: pieces of text, and what its type says all of. */
const SPARE: ReadonlySet<string> = new Set<SessionEvent['type']>([
  'agent_started',
  'agent_task_scheduled',
  'agent_thinking_start',
  'agent_thinking',
  'agent_response_start',
  'agent_response',
  'agent_tool_use_start',
  'agent_steered',
  'agent_drift',
  'agent_compacted',
  'agent_cost',
  'agent_warning',
  'agent_completed',
  'agent_cancelled',
  'agent_error',
  'run_claimed',
  'response_requested',
  'items_given',
  'response_deleted',
  'conversation_metadata_set',
  'run_cancel_requested',
  'messages_cleared',
  'model_called',
  'usage_kept',
  'model_turn_failed',
  'run_refused',
  'session_forked',
  'tools_offered',
  'run_parked',
  'run_woken',
  'run_steered',
]);

/** Whether a run that this event belongs to can be gone on with. */
export const canBeSpared = (event: { readonly type: string; readonly isUnreadable?: boolean }): boolean =>
  event.isUnreadable !== true || SPARE.has(event.type);
