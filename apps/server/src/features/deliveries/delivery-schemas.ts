import { COUNT, TEXT, TIME, named, objectOf, oneOf, orNull } from '../../edge/openapi/json-schema.js';

export const DELIVERY = named(
  'Delivery',
  objectOf({
    delivery_id: TEXT,
    sequence: { type: 'integer', minimum: 1 },
    type: TEXT,
    status: oneOf('pending', 'retrying', 'delivered', 'failed', 'stopped'),
    attempts: COUNT,
    last_status: orNull({ type: 'integer' }),
    next_attempt_at: orNull(TIME),
    last_error: orNull(TEXT),
    last_response: orNull(TEXT),
  }),
);
