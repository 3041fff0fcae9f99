import { DELIVERY_STATUSES } from '#domain';
import {
  COUNT,
  EVENT_ID,
  TEXT,
  TIME,
  named,
  objectOf,
  oneOf,
  orNull,
} from '../../edge/openapi/json-schema.js';

const FIELDS = {
  delivery_id: TEXT,
  sequence: { type: 'integer', minimum: 1 },
  type: TEXT,
  event_id: EVENT_ID,
  target: orNull({ ...TEXT, description: 'Where it is sent: the origin of the URL alone.' }),
  status: oneOf(...DELIVERY_STATUSES),
  attempts: COUNT,
  last_status: orNull({ type: 'integer' }),
  next_attempt_at: orNull(TIME),
  last_error: orNull(TEXT),
  last_response: orNull(TEXT),
  last_attempt_at: orNull(TIME),
};

export const DELIVERY = named('Delivery', objectOf(FIELDS));

export const LISTED_DELIVERY = named(
  'ListedDelivery',
  objectOf({ ...FIELDS, run_id: TEXT, session: TEXT, created_at: TIME }),
);
