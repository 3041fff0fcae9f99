import type { PublicEvent } from '#domain';
import {
  DOLLARS,
  EVENT_ID,
  FLAG,
  TEXT,
  TIME,
  named,
  objectOf,
  oneOf,
  pageOf,
} from '../../../edge/openapi/json-schema.js';
import { type Content, JSON_TYPE, SSE_TYPE } from '../../../edge/routes/operation.js';
import type { JsonSchema } from '../../../edge/validation/rules.js';

type Fields = Readonly<Record<string, JsonSchema>>;

const CONTENT: Fields = { content: TEXT };
const COUNTED: JsonSchema = { type: 'string', pattern: '^\\d+$' };

/** How an action was closed. */
export const ACTION_OUTCOME = oneOf('approve', 'answer', 'raise', 'supply', 'deny', 'expired');
export const ACTION_KIND = oneOf('approval', 'tool', 'budget', 'tool_servers', 'input');

/** The fields of each event besides `type` and `session`. */
const FIELDS: Readonly<Record<PublicEvent['type'], Fields>> = {
  agent_started: {},
  agent_task_scheduled: {
    task_id: TEXT,
    schedule: { anyOf: [{ type: 'integer' }, TEXT] },
    message: TEXT,
    next_run_at: TIME,
  },
  agent_thinking_start: {},
  agent_thinking: CONTENT,
  agent_response_start: {},
  agent_response: CONTENT,
  agent_tool_use_start: {},
  agent_tool_use: { content: { ...TEXT, description: 'JSON text of {tool, input}' } },
  agent_tool_response: { content: { ...TEXT, description: 'JSON text of {tool, content}' } },
  agent_step: { step: COUNTED },
  agent_handoff: { agent: TEXT },
  agent_workflow_step: {
    workflow_id: TEXT,
    step_id: TEXT,
    status: oneOf('started', 'completed', 'skipped', 'failed'),
    attempt: COUNTED,
  },
  agent_final_output: { name: TEXT, content: { ...TEXT, description: 'JSON text of the value' } },
  agent_warning: { content: { ...TEXT, description: 'JSON text of {code, reason, server?, tools?}' } },
  agent_drift: { content: { ...TEXT, description: 'JSON text of {tool, input}' } },
  agent_compacted: {
    content: { ...TEXT, description: 'the summary; empty: there is none' },
    from: { ...TEXT, description: 'id of the first shown event that it stands for' },
    through: { ...TEXT, description: 'id of the last one' },
  },
  agent_action_required: {
    action_id: TEXT,
    kind: ACTION_KIND,
    content: { ...TEXT, description: 'JSON text of what is asked' },
    expires_at: TIME,
  },
  agent_action_resolved: {
    action_id: TEXT,
    decision: ACTION_OUTCOME,
    actor: TEXT,
    content: { ...TEXT, description: 'JSON text of {reason?, input?, budget?}' },
  },
  agent_steered: CONTENT,
  agent_cost: { cost: DOLLARS },
  agent_completed: {},
  agent_cancelled: {},
  agent_error: {
    content: TEXT,
    code: oneOf(
      'model_unavailable',
      'max_steps',
      'timeout',
      'final_output_invalid',
      'tool_servers_lost',
      'context_too_long',
      'internal',
    ),
    retryable: FLAG,
  },
};

/** Of an event that stands on the log and does not open. */
const UNREADABLE_EVENT = named('UnreadableEvent', {
  description: 'What the log holds of the event was damaged, or its key is lost: it has no other fields.',
  ...objectOf({
    type: oneOf(...Object.keys(FIELDS)),
    session: TEXT,
    unreadable: { type: 'boolean', enum: [true], description: 'Tells it from the event that it was.' },
  }),
});

/** `agent_tool_use` as `AgentToolUseEvent`. */
const nameOf = (type: string): string =>
  `${type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

const MEMBERS = Object.entries(FIELDS).map(
  ([type, fields]) =>
    [type, named(nameOf(type), objectOf({ type: oneOf(type), session: TEXT, ...fields }))] as const,
);

const AGENT_EVENT = named('AgentEvent', {
  description: 'An event of a run, by its `type`.',
  oneOf: MEMBERS.map(([, member]) => member),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(MEMBERS.map(([type, member]) => [type, member['$ref']])),
  },
});

/** The `data:` JSON of an SSE record, of a callback and of a recorded event. */
export const STREAM_EVENT = named('StreamEvent', {
  description:
    'The `data:` JSON of an event. A run ends with exactly one of agent_completed, agent_error and agent_cancelled.',
  anyOf: [UNREADABLE_EVENT, AGENT_EVENT],
});

const RECORDED_EVENT = named('RecordedEvent', objectOf({ id: EVENT_ID, data: STREAM_EVENT }));

export const EVENT_STREAM: JsonSchema = {
  type: 'string',
  description: 'Server-Sent Events: `id: <revision>` and `data: <a StreamEvent as JSON>`',
};

/** Recorded events, in either form. */
export const RECORDED: Content = { [JSON_TYPE]: pageOf(RECORDED_EVENT), [SSE_TYPE]: EVENT_STREAM };

export const FROM_ANY_POINT =
  'Server-Sent Events from after `Last-Event-ID` or `after`, then live; with `Accept: application/json` a page of the ' +
  'recorded ones.';
