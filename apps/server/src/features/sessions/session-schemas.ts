import {
  COUNT,
  DOLLARS,
  TEXT,
  TIME,
  listOf,
  named,
  objectOf,
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
  }),
);

export const ERASED_SESSION = named(
  'ErasedSession',
  objectOf({
    session: TEXT,
    erased_at: TIME,
    events: COUNT,
    not_reached: listOf(TEXT),
  }),
);
