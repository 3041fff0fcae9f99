import { schemaWithoutSecrets } from './masked-schema.js';
import { isRecord } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';

/** A tool's input schema in a form that the model's API takes, and the way back for the arguments. */
export interface OfferedSchema {
  readonly parameters: object;
  /** What the server is to be given for what the model wrote. */
  readonly toServer: (input: unknown) => unknown;
}

type Schema = Readonly<Record<string, unknown>>;

const maxDepth = 32;
/** Refused at the top by OpenAI ("must have type 'object' and not have …"). */
const COMBINATORS = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else'] as const;
const DROPPED = [...COMBINATORS, '$schema', '$id'];
/** What an argument may be called (Anthropic's pattern, the narrowest). */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Keywords that hold schemas: one, a list of them, or one under each name. */
const ONE = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'if',
  'then',
  'else',
  'propertyNames',
]);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

export function offerSchema(input: unknown, mask: SecretMask): OfferedSchema {
  const schema = repaired(isRecord(input) ? input : {}, 0) as Schema;
  const hasCombinator = COMBINATORS.some((key) => key in schema);
  const isObject = schema['type'] === undefined || schema['type'] === 'object';
  const hasProperties = isObject && (!hasCombinator || isRecord(schema['properties']));
  const { parameters, toServer } = hasProperties ? offerObject(schema, mask) : wrapped(schema);
  return { parameters: schemaWithoutSecrets(parameters, mask), toServer };
}

/** Combinations of what the object's properties may be are the server's to check; it says what it misses. */
function offerObject(schema: Schema, mask: SecretMask): OfferedSchema {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const object: Record<string, unknown> & { properties: Schema } = { ...schema, type: 'object', properties };
  for (const key of DROPPED) if (key in object) delete object[key];
  const names = Object.keys(properties);
  return names.every((name) => mayKeepName(name, mask)) ? plain(object) : renamed(object, mask);
}

/** What is no object at all is offered as the only argument of one. */
function wrapped(schema: Schema): OfferedSchema {
  const { $defs, definitions, ...inner } = schema;
  const shared = {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return {
    parameters: { type: 'object', properties: { input: inner }, required: ['input'], ...shared },
    toServer: (input) => (isRecord(input) ? input['input'] : input),
  };
}

const plain = (parameters: object): OfferedSchema => ({ parameters, toServer: (input) => input });

const mayKeepName = (name: string, mask: SecretMask): boolean => PROPERTY.test(name) && !mask.holds(name);

function renamed(schema: Schema & { properties: Schema }, mask: SecretMask): OfferedSchema {
  const own = new Map<string, string>();
  const offered = new Map<string, string>();
  // Those that may keep their names do.
  const names = Object.keys(schema.properties).sort(
    (a, b) => Number(mayKeepName(b, mask)) - Number(mayKeepName(a, mask)),
  );
  for (const name of names) {
    const base =
      mask
        .clean(name)
        .replace(/[^a-zA-Z0-9_.-]/gu, '_')
        .slice(0, 60) || '_';
    let next = mayKeepName(name, mask) ? name : base;
    for (let n = 2; own.has(next); n++) next = `${base}_${n}`;
    own.set(next, name);
    offered.set(name, next);
  }
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, value]) => [offered.get(name) ?? name, value]),
  );
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    parameters: {
      ...schema,
      properties,
      required: required.map((name) => offered.get(String(name)) ?? name),
    },
    toServer: (input) =>
      isRecord(input)
        ? Object.fromEntries(Object.entries(input).map(([name, value]) => [own.get(name) ?? name, value]))
        : input,
  };
}

/** The schema with items for every list, and nothing too deep: itself, where there is nothing to repair. */
function repaired(value: unknown, depth: number): unknown {
  if (!isRecord(value)) return typeof value === 'boolean' ? value : {};
  if (depth > maxDepth) return {};
  let copy: Record<string, unknown> | null = null;
  for (const key in value) {
    const inner = value[key];
    const next = repairedKeyword(key, inner, depth + 1);
    if (next !== inner) (copy ??= { ...value })[key] = next;
  }
  const { type, items } = value;
  const mayBeArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (mayBeArray && (items === undefined || Array.isArray(items))) (copy ??= { ...value })['items'] = {};
  return copy ?? value;
}

function repairedKeyword(key: string, inner: unknown, depth: number): unknown {
  if (typeof inner !== 'object' || inner === null) return ONE.has(key) ? repaired(inner, depth) : inner;
  if (Array.isArray(inner) && LISTS.has(key)) return repairedList(inner, depth);
  if (!Array.isArray(inner) && MAPS.has(key)) return repairedMap(inner as Schema, depth);
  if (!Array.isArray(inner) && ONE.has(key)) return repaired(inner, depth);
  // Examples, defaults and the like: as they are, if they can be written at all.
  return isDeep(inner, depth) ? null : inner;
}

function repairedList(list: readonly unknown[], depth: number): unknown {
  const next = list.map((schema) => repaired(schema, depth));
  return next.every((schema, at) => schema === list[at]) ? list : next;
}

function repairedMap(map: Schema, depth: number): unknown {
  let copy: Record<string, unknown> | null = null;
  for (const name in map) {
    const next = repaired(map[name], depth);
    if (next !== map[name]) (copy ??= { ...map })[name] = next;
  }
  return copy ?? map;
}

function isDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > maxDepth || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}
