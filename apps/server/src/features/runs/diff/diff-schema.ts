import {
  COUNT,
  DOLLARS,
  FLAG,
  TEXT,
  listOf,
  named,
  noted,
  objectOf,
  oneOf,
  orNull,
} from '../../../edge/openapi/json-schema.js';
import type { JsonSchema } from '../../../edge/validation/rules.js';
import { RUN_STATUS, USAGE } from '../shared/run-schemas.js';

const of = (schema: JsonSchema): JsonSchema => objectOf({ a: schema, b: schema });

const CALL = named(
  'ComparedCall',
  objectOf({ tool: TEXT, input: { description: 'The arguments; text where they are no JSON.' } }),
);

const TURN = named('ComparedTurn', objectOf({ response: TEXT, tool_calls: listOf(CALL) }));

const TURN_DIFF = named(
  'TurnDiff',
  objectOf({ status: oneOf('same', 'changed', 'only_a', 'only_b'), a: orNull(TURN), b: orNull(TURN) }),
);

export const RUN_DIFF = named(
  'RunDiff',
  objectOf({
    same_response: FLAG,
    same_tool_calls: FLAG,
    same_final_output: FLAG,
    turns: noted('By position.', listOf(TURN_DIFF)),
    status: of(RUN_STATUS),
    cost: of(DOLLARS),
    usage: of(USAGE),
    ms: of(orNull(COUNT)),
    final_output: of({}),
  }),
);
