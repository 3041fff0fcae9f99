import { RUN_STATUSES } from '#projections';
import {
  COUNT,
  DOLLARS,
  EVENT_ID,
  FLAG,
  TEXT,
  TIME,
  listOf,
  named,
  objectOf,
  oneOf,
  orNull,
} from '../../../edge/openapi/json-schema.js';
import { ACTION } from './action-schema.js';

export const RUN_STATUS = oneOf(...RUN_STATUSES);
const RUN_ERROR = named('RunError', objectOf({ code: TEXT, message: TEXT, retryable: FLAG }));
const WARNING = named(
  'RunWarning',
  objectOf({ code: TEXT, reason: TEXT }, { server: TEXT, tools: listOf(TEXT) }),
);

/** Sums over model calls. */
export const USAGE_FIELDS = {
  input_tokens: COUNT,
  output_tokens: COUNT,
  model_calls: COUNT,
  estimated_calls: COUNT,
  unpriced_calls: COUNT,
};
/** Those that some call reported. */
export const USAGE_PARTS = {
  cached_input_tokens: COUNT,
  cache_write_tokens: COUNT,
  reasoning_tokens: COUNT,
};

/** As its caller gave it. */
const METADATA = { type: 'object', additionalProperties: TEXT };

export const USAGE = named('Usage', objectOf(USAGE_FIELDS, USAGE_PARTS));

export const MESSAGE = named(
  'Message',
  objectOf({
    type: oneOf('user_message', 'agent_thinking', 'agent_response', 'agent_tool_use'),
    content: TEXT,
  }),
);

export const RUN = named(
  'Run',
  objectOf({
    run_id: TEXT,
    session: TEXT,
    status: RUN_STATUS,
    mode: oneOf('flash', 'base', 'max'),
    model: TEXT,
    trigger: oneOf('request', 'task', 'kafka'),
    retry_of: orNull({ ...TEXT, description: 'the run that it goes on with' }),
    replay_of: orNull({ ...TEXT, description: 'the run that it gives again' }),
    drift: orNull({ ...COUNT, description: 'of a replay: calls that the record holds no result of' }),
    actor: { ...TEXT, description: 'the id of the key' },
    created_at: TIME,
    started_at: orNull(TIME),
    first_token_at: orNull(TIME),
    ended_at: orNull(TIME),
    cost: DOLLARS,
    usage: USAGE,
    metadata: METADATA,
    warnings: listOf(WARNING),
    error: orNull(RUN_ERROR),
    last_event_id: orNull(EVENT_ID),
  }),
);

export const ACCEPTED_RUN = named(
  'AcceptedRun',
  objectOf({
    session: TEXT,
    run_id: TEXT,
    status: oneOf('queued'),
    task_ids: listOf(TEXT),
  }),
);

export const ENDED_RUN = named(
  'EndedRun',
  objectOf(
    {
      session: TEXT,
      run_id: TEXT,
      status: oneOf('completed', 'failed', 'cancelled', 'waiting'),
      response: { ...TEXT, description: 'the text of the last turn' },
      messages: listOf(MESSAGE),
      cost: DOLLARS,
      usage: USAGE,
      task_ids: listOf(TEXT),
      warnings: listOf(WARNING),
    },
    {
      final_output: { description: 'the value, if it was asked for' },
      error: RUN_ERROR,
      actions: { ...listOf(ACTION), description: 'what a run that waits waits for' },
    },
  ),
);
