import type { DtoField, FieldCheck } from './dto-fields.js';
import type { JsonSchema } from './rules.js';

type Describing = (constraints: readonly unknown[]) => JsonSchema;

/** What class-validator's rules, and ours, say as JSON Schema. What is not here is checked and not described. */
const SCHEMAS: Readonly<Record<string, Describing>> = {
  arrayMaxSize: ([most]) => ({ maxItems: most }),
  arrayMinSize: ([least]) => ({ minItems: least }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayUnique: () => ({ uniqueItems: true }),
  isArray: () => ({ type: 'array' }),
  isBoolean: () => ({ type: 'boolean' }),
  isEmail: () => ({ type: 'string', format: 'email' }),
  isIn: ([values]) => ({ enum: values }),
  isInt: () => ({ type: 'integer' }),
  isNotEmpty: () => ({ minLength: 1 }),
  isNumber: () => ({ type: 'number' }),
  isObject: () => ({ type: 'object' }),
  isString: () => ({ type: 'string' }),
  isUrl: () => ({ type: 'string', format: 'uri' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  matches: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  max: ([most]) => ({ maximum: most }),
  maxCharacters: ([most]) => ({ maxLength: most }),
  maxLength: ([most]) => ({ maxLength: most }),
  min: ([least]) => ({ minimum: least }),
  minLength: ([least]) => ({ minLength: least }),
};

export const isRequired = ({ conditions, fallback }: DtoField): boolean =>
  conditions.length === 0 && fallback === undefined;

/** The schema of a field that holds no DTO, made from the rules by which it is checked. */
export function schemaOf({ checks, notes, fallback }: DtoField): JsonSchema {
  const ofItems = schemaOfChecks(checks.filter(({ isEach }) => isEach));
  return {
    ...schemaOfChecks(checks.filter(({ isEach }) => !isEach)),
    ...(ofItems === null ? {} : { items: ofItems }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...notes.schema,
  };
}

/** null: there are none. */
function schemaOfChecks(checks: readonly FieldCheck[]): JsonSchema | null {
  if (checks.length === 0) return null;
  return Object.assign(
    {},
    ...checks.map(({ name, constraints, rule }) => rule?.schema ?? SCHEMAS[name]?.(constraints) ?? {}),
  ) as JsonSchema;
}
