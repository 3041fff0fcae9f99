import { EVENT_ID, TEXT, named, objectOf, pageOf } from '../../../edge/openapi/json-schema.js';
import { type Content, JSON_TYPE, SSE_TYPE } from '../../../edge/routes/operation.js';
import type { JsonSchema } from '../../../edge/validation/rules.js';

const HASH: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

const ALWAYS: Readonly<Record<string, JsonSchema>> = {
  revision: COUNT,
  id: { type: 'string', format: 'uuid' },
  type: TEXT,
  time: { ...COUNT, description: 'ms since 1970' },
  schemaVersion: COUNT,
  project: TEXT,
  actor: { ...TEXT, description: 'Who caused it: the id of a key, or a part of the service.' },
  commitment: HASH,
  prev: {
    type: 'string',
    pattern: '^(?:[0-9a-f]{64})?$',
    description: 'Empty: the next event that has one takes it in.',
  },
};

const SOMETIMES: Readonly<Record<string, JsonSchema>> = {
  run: TEXT,
  causationId: TEXT,
  correlationId: TEXT,
  salt: { ...HASH, description: 'With the text it opens the commitment: SHA-256(salt \u2016 text).' },
  text: { ...TEXT, description: "The event's data: JSON, verbatim. Absent where they do not open." },
  bytes: { ...COUNT, description: 'How long a text is that was left out: more characters than `inline`.' },
  head: { ...TEXT, description: 'How it begins: 512 characters.' },
};

const LOG_LINE = named('LogLine', {
  description: 'An event as it stands on the log: docs/log-format.md says how to check it.',
  ...objectOf(ALWAYS, SOMETIMES),
});

/** Of one event, whole. */
export const LOG_EVENT = named('LogEvent', {
  description: 'A LogLine with all of its text, and what was said in it.',
  ...objectOf(
    {
      ...ALWAYS,
      content: {
        type: ['string', 'null'],
        description: 'Its message or content as text, also where that lies in a file.',
      },
    },
    SOMETIMES,
  ),
});

/** All of them, in either form. */
export const LOG: Content = {
  [JSON_TYPE]: pageOf(named('LogItem', objectOf({ id: EVENT_ID, data: LOG_LINE }))),
  [SSE_TYPE]: {
    type: 'string',
    description: 'Server-Sent Events: `id: <revision>` and `data: <a LogLine as JSON>`',
  },
};
