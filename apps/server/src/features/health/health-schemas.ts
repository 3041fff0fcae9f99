import { TEXT, named, objectOf, oneOf } from '../../edge/openapi/json-schema.js';

export const READINESS = named(
  'Readiness',
  objectOf({
    status: oneOf('ok', 'unavailable'),
    checks: {
      type: 'object',
      additionalProperties: named('Check', objectOf({ status: oneOf('ok', 'failing') }, { detail: TEXT })),
    },
  }),
);
