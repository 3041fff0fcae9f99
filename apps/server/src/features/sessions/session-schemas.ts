import {
  COUNT,
  DOLLARS,
  EVENT_ID,
  TEXT,
  TIME,
  listOf,
  named,
  objectOf,
  oneOf,
  orNull,
} from '../../edge/openapi/json-schema.js';
import { RUN_STATUS } from '../runs/shared/run-schemas.js';

export const SESSION = named(
  'Session',
  objectOf({
    session: TEXT,
    title: orNull(TEXT),
    message_count: COUNT,
    last_status: orNull(RUN_STATUS),
    cost: DOLLARS,
    created_at: TIME,
    forked_from: {
      ...orNull(
        objectOf({ session: TEXT, at: { ...EVENT_ID, description: 'the last event that is shared' } }),
      ),
      description: 'null: it is no fork',
    },
  }),
);

const CALL = named(
  'ChatToolCall',
  objectOf({
    id: TEXT,
    type: oneOf('function'),
    function: objectOf({
      name: TEXT,
      arguments: { ...TEXT, description: 'JSON text as the model wrote it' },
    }),
  }),
);

const CHAT_MESSAGE = named(
  'ChatMessage',
  objectOf(
    {
      role: oneOf('user', 'assistant', 'tool'),
      content: { ...orNull(TEXT), description: 'null where it called tools and said nothing' },
    },
    {
      tool_calls: { ...listOf(CALL), description: 'of an assistant that called tools' },
      tool_call_id: { ...TEXT, description: "of a tool's result: of the call that it belongs to" },
    },
  ),
);

export const CONTEXT = named('Context', objectOf({ messages: listOf(CHAT_MESSAGE) }));

export const MESSAGE_ITEM = named(
  'MessageItem',
  objectOf(
    {
      id: { ...EVENT_ID, description: 'of the event with which it begins' },
      type: oneOf('user_message', 'agent_thinking', 'agent_response', 'agent_tool_use'),
      content: { ...TEXT, description: 'of a tool use JSON text of {tool, input}' },
      run_id: TEXT,
      created_at: TIME,
    },
    {
      tool: { ...TEXT, description: 'of a tool use: what was called' },
      input: { description: 'and with what' },
      output: { ...TEXT, description: 'what the tool answered, as soon as that is there' },
    },
  ),
);

export const ERASED_SESSION = named(
  'ErasedSession',
  objectOf({
    session: TEXT,
    erased_at: TIME,
    events: COUNT,
    forks: {
      ...listOf(TEXT),
      description: 'ids of its forks, and of theirs; with `?forks=true` they are erased, too',
    },
    not_reached: listOf(TEXT),
  }),
);
