import { FORMATS } from './formats.js';

export type Schema = Readonly<Record<string, unknown>>;

/** Says something to readers only, or shows data that may look like a schema. `id` is what zod calls a schema's name. */
const SAYS_NOTHING = new Set([
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
  'xml',
  'externalDocs',
  'nullable',
  'id',
]);

/** Keywords beside `type` that hold for null, too. */
const HOLD_FOR_NULL = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

/**
 * One subschema as the drafts mean it: OpenAPI 3.0 writes `nullable` and `exclusiveMinimum: true`, TypeBox the tuples of
 * draft-07 without saying so.
 * @param isDeclared the schema says which draft it is of
 */
export function inPlainWords(schema: Schema, isDeclared: boolean): Schema {
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema))
    if (!SAYS_NOTHING.has(keyword) && !(keyword === 'format' && isUnknownFormat(value)))
      plain[keyword] = value;
  numberBounds(plain);
  if (!isDeclared) tuple(plain);
  return schema['nullable'] === true ? nullable(plain) : plain;
}

/** A format that is not of ours is not looked at; Ajv would find `constructor` among them. */
const isUnknownFormat = (name: unknown): boolean => typeof name === 'string' && !Object.hasOwn(FORMATS, name);

/** Draft-04's and OpenAPI 3.0's: a flag beside the bound. */
function numberBounds(schema: Record<string, unknown>): void {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[flag];
    if (typeof value !== 'boolean') continue;
    delete schema[flag];
    if (!value || schema[bound] === undefined) continue;
    schema[flag] = schema[bound];
    delete schema[bound];
  }
}

function tuple(schema: Record<string, unknown>): void {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return;
  delete schema['items'];
  delete schema['additionalItems'];
  if (items.length > 0) schema['prefixItems'] ??= items;
  if (additionalItems !== undefined) schema['items'] = additionalItems;
}

/** With null among what it takes. */
function nullable(schema: Record<string, unknown>): Schema {
  const { type, enum: values, const: constant } = schema;
  if (HOLD_FOR_NULL.some((keyword) => keyword in schema)) {
    const { $defs, definitions, $id, $anchor, ...rest } = schema;
    const kept = Object.entries({ $defs, definitions, $id, $anchor }).filter(([, v]) => v !== undefined);
    return { ...Object.fromEntries(kept), anyOf: [{ type: 'null' }, rest] };
  }
  if (typeof type === 'string') schema['type'] = [...new Set([type, 'null'])];
  else if (Array.isArray(type)) schema['type'] = [...new Set<unknown>([...type, 'null'])];
  if (Array.isArray(values)) schema['enum'] = values.includes(null) ? values : [...values, null];
  if ('const' in schema) {
    delete schema['const'];
    schema['enum'] = [constant, null];
  }
  return schema;
}
