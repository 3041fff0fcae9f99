import type { JsonSchema } from '../validation/rules.js';

type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with these fields; what it may have besides is open, so that clients outlive new fields. */
export const objectOf = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** A page of a list of named items: of `Run` it is `RunPage`. */
export function pageOf(items: JsonSchema): JsonSchema {
  const page = objectOf({ items: listOf(items), next_cursor: orNull(TEXT) });
  return named(`${String(items['$ref']).split('/').at(-1)}Page`, page);
}

/** Generators of clients know `null` beside plain types, and beside anything else as a choice. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object' && !('enum' in schema))
    return { ...schema, type: [type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

export const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** What references that `named` made stand for. Owns nothing else; filled while schemas are declared. */
const definitions = new WeakMap<JsonSchema, readonly [name: string, schema: JsonSchema]>();

/** A schema that the description shows once, under this name. Returns a reference to it. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  const reference = component(name);
  definitions.set(reference, [name, schema]);
  return reference;
}

/** The same schema, and what it means where it stands. */
export function noted(description: string, schema: JsonSchema): JsonSchema {
  const copy = { ...schema, description };
  const definition = definitions.get(schema);
  if (definition !== undefined) definitions.set(copy, definition);
  return copy;
}

/** Adds what a schema refers to, by `named`, at any depth. */
export function collectNamed(schema: unknown, found: Record<string, JsonSchema>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const definition = definitions.get(schema as JsonSchema);
  if (definition === undefined) {
    for (const part of Object.values(schema)) collectNamed(part, found);
    return;
  }
  const [name, meant] = definition;
  if (Object.hasOwn(found, name)) return;
  found[name] = meant;
  collectNamed(meant, found);
}

export const TEXT: JsonSchema = { type: 'string' };
export const FLAG: JsonSchema = { type: 'boolean' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
/** ISO 8601 in UTC with milliseconds. No pattern: generated clients have made a date of it before they look at that. */
export const TIME: JsonSchema = { type: 'string', format: 'date-time' };
/** US dollars, a decimal without exponent. */
export const DOLLARS: JsonSchema = { type: 'string', pattern: '^\\d+(\\.\\d+)?$', examples: ['0.00045'] };
/** A revision as text. */
export const EVENT_ID: JsonSchema = { type: 'string', pattern: '^\\d+$' };
