import { TEXT, listOf, named, objectOf } from '../openapi/json-schema.js';

/** What every refusal's body is: ProblemBody. */
export const PROBLEM = named(
  'Problem',
  objectOf(
    {
      type: TEXT,
      title: TEXT,
      status: { type: 'integer' },
      detail: TEXT,
      code: { ...TEXT, description: 'tells refusals of one status apart' },
      request_id: TEXT,
    },
    { errors: { ...listOf(named('FieldError', objectOf({ path: TEXT, message: TEXT }))), minItems: 1 } },
  ),
);
