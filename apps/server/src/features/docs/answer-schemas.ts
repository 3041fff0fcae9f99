import { SCOPES } from '#domain';
import type { JsonSchema } from '../../edge/validation/rules.js';
import { AGENT_EVENT } from './event-schemas.js';
import {
  COUNT,
  DOLLARS,
  EVENT_ID,
  FLAG,
  TEXT,
  TIME,
  component,
  listOf,
  objectOf,
  oneOf,
  orNull,
} from '../../edge/openapi/json-schema.js';

const RUN_STATUS = oneOf('queued', 'running', 'completed', 'failed', 'cancelled');
const RUN_ERROR = objectOf({ code: TEXT, message: TEXT, retryable: FLAG });

const WARNING = objectOf({ code: TEXT, reason: TEXT }, { server: TEXT, tools: listOf(TEXT) });

const MESSAGE = objectOf({
  type: oneOf('user_message', 'agent_thinking', 'agent_response', 'agent_tool_use'),
  content: TEXT,
});

const RUN = objectOf({
  run_id: TEXT,
  session: TEXT,
  status: RUN_STATUS,
  mode: oneOf('flash', 'base', 'max'),
  model: TEXT,
  trigger: oneOf('request', 'task', 'kafka'),
  actor: { ...TEXT, description: 'the id of the key' },
  created_at: TIME,
  started_at: orNull(TIME),
  ended_at: orNull(TIME),
  cost: DOLLARS,
  usage: objectOf({ input_tokens: COUNT, output_tokens: COUNT }),
  warnings: listOf(WARNING),
  error: orNull(RUN_ERROR),
  last_event_id: orNull(EVENT_ID),
});

const ACCEPTED_RUN = objectOf({
  session: TEXT,
  run_id: TEXT,
  status: { const: 'queued' },
  task_ids: listOf(TEXT),
});

const ENDED_RUN = objectOf(
  {
    session: TEXT,
    run_id: TEXT,
    status: oneOf('completed', 'failed', 'cancelled'),
    response: { ...TEXT, description: 'the text of the last turn' },
    messages: listOf(component('Message')),
    cost: DOLLARS,
    task_ids: listOf(TEXT),
    warnings: listOf(WARNING),
  },
  { final_output: { description: 'the value, if it was asked for' }, error: RUN_ERROR },
);

const SESSION = objectOf({
  session: TEXT,
  title: orNull(TEXT),
  message_count: COUNT,
  last_status: orNull(RUN_STATUS),
  cost: DOLLARS,
  created_at: TIME,
});

const ERASED_SESSION = objectOf({
  session: TEXT,
  erased_at: TIME,
  events: COUNT,
  not_reached: listOf(TEXT),
});

const FIRING = objectOf(
  { slot: TIME, fired_at: orNull(TIME), run_id: orNull(TEXT), late: FLAG },
  {
    error: {
      ...objectOf({ code: oneOf('internal'), message: TEXT }),
      description: 'why no run comes of it: processes ended while they started it, and the task was paused',
    },
  },
);

const TASK = objectOf({
  task_id: TEXT,
  session: TEXT,
  schedule: { type: ['integer', 'string'] },
  timezone: TEXT,
  message: TEXT,
  status: oneOf('scheduled', 'paused', 'finished', 'cancelled'),
  created_at: TIME,
  next_run_at: orNull(TIME),
  last_run_at: orNull(TIME),
  firings: { ...listOf(FIRING), maxItems: 100 },
});

const DELIVERY = objectOf({
  delivery_id: TEXT,
  sequence: { type: 'integer', minimum: 1 },
  type: TEXT,
  status: oneOf('pending', 'retrying', 'delivered', 'failed', 'stopped'),
  attempts: COUNT,
  last_status: orNull({ type: 'integer' }),
  next_attempt_at: orNull(TIME),
  last_error: orNull(TEXT),
  last_response: orNull(TEXT),
});

const DATASTORE = objectOf({
  datastore_id: TEXT,
  name: TEXT,
  type: oneOf('database', 'documents'),
  created_at: TIME,
});

const DOCUMENT_WARNING = objectOf(
  { code: TEXT, detail: TEXT },
  { page: { type: 'integer', minimum: 1, description: 'of a PDF; slides and sheets count as pages' } },
);

const UPLOADED_DOCUMENT = {
  document_id: TEXT,
  datastore_id: TEXT,
  filename: TEXT,
  status: oneOf('indexed', 'processing', 'failed'),
  indexed_at: orNull(TIME),
  warnings: {
    ...listOf(DOCUMENT_WARNING),
    maxItems: 50,
    description: 'what the file holds and the index does not',
  },
};

const DOCUMENT = objectOf({
  ...UPLOADED_DOCUMENT,
  created_at: TIME,
  bytes: COUNT,
  pages: orNull(COUNT),
  error: orNull(objectOf({ code: TEXT, message: TEXT })),
});

const SEARCH_ITEM = objectOf({
  document_id: TEXT,
  filename: TEXT,
  page: orNull({ type: 'integer' }),
  text: TEXT,
  score: { type: 'number' },
});

const key = {
  name: TEXT,
  scopes: listOf(oneOf(...SCOPES)),
  project: TEXT,
  created_at: TIME,
};

const LAST_USED = { ...TIME, description: 'to the hour' };

const READINESS = objectOf({
  status: oneOf('ok', 'unavailable'),
  checks: {
    type: 'object',
    additionalProperties: objectOf({ status: oneOf('ok', 'failing') }, { detail: TEXT }),
  },
});

const PROBLEM = objectOf(
  {
    type: TEXT,
    title: TEXT,
    status: { type: 'integer' },
    detail: TEXT,
    code: { ...TEXT, description: 'tells refusals of one status apart' },
    request_id: TEXT,
  },
  { errors: { ...listOf(objectOf({ path: TEXT, message: TEXT })), minItems: 1 } },
);

/** What is answered, by the name under which the description refers to it. */
export const ANSWER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  AgentEvent: AGENT_EVENT,
  RecordedEvent: objectOf({ id: EVENT_ID, data: component('AgentEvent') }),
  Message: MESSAGE,
  Run: RUN,
  AcceptedRun: ACCEPTED_RUN,
  EndedRun: ENDED_RUN,
  Session: SESSION,
  ErasedSession: ERASED_SESSION,
  Task: TASK,
  Delivery: DELIVERY,
  Datastore: DATASTORE,
  UploadedDocument: objectOf(UPLOADED_DOCUMENT),
  Document: DOCUMENT,
  SearchItem: SEARCH_ITEM,
  ApiKey: objectOf({ id: TEXT, ...key, expires_at: orNull(TIME), last_used_at: orNull(LAST_USED) }),
  NewKey: objectOf({ id: TEXT, key: TEXT, webhook_secret: TEXT, ...key }, { expires_at: TIME }),
  Token: objectOf({ token: TEXT, expires_at: TIME }),
  Readiness: READINESS,
  Problem: PROBLEM,
};
