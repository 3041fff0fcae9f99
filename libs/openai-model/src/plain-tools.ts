import { createHash } from 'node:crypto';
import type { ToolDefinition } from '#agent';

/** 1: with the keywords that every server knows; 2: any object, the schema in its description. */
export type PlainLevel = 1 | 2;

type Schema = Readonly<Record<string, unknown>>;

const keys = new WeakMap<object, string>();

/** Tells a schema apart from others; the same for two that are written alike. */
export function schemaKey(schema: object): string {
  let key = keys.get(schema);
  if (key === undefined) {
    key = createHash('sha256').update(JSON.stringify(schema)).digest('base64url').slice(0, 22);
    keys.set(schema, key);
  }
  return key;
}

const made = new WeakMap<ToolDefinition, Partial<Record<PlainLevel, ToolDefinition>>>();

/** The tool with a schema that a server is more likely to take; the same object each time. */
export function plainTool(tool: ToolDefinition, level: PlainLevel): ToolDefinition {
  const known = made.get(tool) ?? {};
  made.set(tool, known);
  return (known[level] ??= madePlain(tool, level));
}

/** UTF-16 units of a description that every server takes, and of a schema that is told in words. */
const maxDescription = 1024;
const maxTold = 8000;

/** The schema stands in the description of the tool, or in that of its arguments where it is too long for it. */
function madePlain({ name, description, parameters }: ToolDefinition, level: PlainLevel): ToolDefinition {
  const schema = JSON.stringify(parameters);
  const shown = schema.length <= maxTold ? schema : `${schema.slice(0, maxTold).toWellFormed()}…`;
  const told = `The arguments match this JSON schema: ${shown}`;
  const plain = level === 1 ? simpleSchema(parameters) : { type: 'object' };
  const all = `${description}\n\n${told}`.trim();
  return all.length <= maxDescription
    ? { name, description: all, parameters: plain }
    : { name, description, parameters: { ...plain, description: told } };
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);
const maxDepth = 12;
/** Nodes of a schema that refers to itself more than once. */
const maxNodes = 2000;

/** What of a schema every server knows: types, descriptions, enumerations of texts, properties and items. */
export function simpleSchema(schema: object): object {
  const nodes = { left: maxNodes };
  return { ...simple(schema, { root: schema, depth: 0, nodes }), type: 'object' };
}

interface SchemaScope {
  readonly root: object;
  readonly depth: number;
  readonly nodes: { left: number };
}

function simple(value: unknown, { root, depth, nodes }: SchemaScope): Schema {
  nodes.left--;
  if (!isObject(value) || depth > maxDepth || nodes.left < 0) return {};
  const inner = (schema: unknown) => simple(schema, { root, depth: depth + 1, nodes });
  const { $ref, description, properties, required, items } = value;
  const told = typeof description === 'string' ? { description } : {};
  if (typeof $ref === 'string') return { ...inner(referred(root, $ref)), ...told };
  const only = onlyOneOf(value);
  if (only !== undefined) return { ...inner(only), ...told };
  const type = typeIn(value);
  const found: Record<string, unknown> = { ...(type === undefined ? {} : { type }), ...told };
  const texts = textsIn(value['enum']);
  if (type === 'string' && texts.length > 0) found['enum'] = texts;
  if (type === 'array') found['items'] = inner(items);
  if (!isObject(properties)) return found;
  const all = Object.entries(properties).map(([name, property]) => [name, inner(property)] as const);
  found['properties'] = Object.fromEntries(all);
  const needed = textsIn(required).filter((name) => Object.hasOwn(properties, name));
  if (needed.length > 0) found['required'] = needed;
  return found;
}

/** `type`, or the one of several that is not null, or what the other keywords say. */
function typeIn({ type, properties, items, enum: values }: Schema): string | undefined {
  const named = (Array.isArray(type) ? type : [type]).filter((one) => TYPES.has(String(one)));
  if (named.length === 1) return String(named[0]);
  if (named.length > 1) return undefined;
  if (isObject(properties)) return 'object';
  if (isObject(items)) return 'array';
  return textsIn(values).length > 0 ? 'string' : undefined;
}

/** The only alternative that is not null. */
function onlyOneOf({ anyOf, oneOf, allOf }: Schema): unknown {
  const all: unknown = anyOf ?? oneOf ?? allOf;
  if (!Array.isArray(all)) return undefined;
  const real = all.filter((one) => !(isObject(one) && one['type'] === 'null'));
  return real.length === 1 ? real[0] : undefined;
}

function referred(root: unknown, pointer: string): unknown {
  if (!pointer.startsWith('#/')) return undefined;
  let at = root;
  for (const step of pointer.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : [];

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
