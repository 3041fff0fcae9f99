import { type JsonNode, jsonTree, plainText, rawOf } from '../conversation/json-tree.js';

/** How a field of an input is edited. What is typed for `json` and `number` is JSON text itself. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'json';

export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string;
  /** JSON texts; of a `choice`. */
  readonly choices: readonly string[];
  /** What is in the field; null: it is left out. */
  readonly value: string | null;
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly description?: unknown;
}

/** Fields of one form. */
const MAX_FIELDS = 60;

/**
 * The fields of an input that is an object, those of the schema first; null: it is edited as JSON.
 * @param schema JSON schema of the tool's input; null: not known
 */
export function fieldsOf(input: string, schema: unknown): readonly InputField[] | null {
  const node = jsonTree(input);
  if (node?.kind !== 'object' || !('members' in node)) return null;
  const values = new Map<string, JsonNode>();
  for (const { key, value } of node.members) {
    if (key === null) return null;
    values.set(JSON.parse(key) as string, value);
  }
  const { properties = {}, required = [] } = schemaOf(schema);
  const names = [...new Set([...Object.keys(properties), ...values.keys()])];
  if (names.length > MAX_FIELDS) return null;
  return names.map((name) =>
    fieldOf(name, schemaOf(properties[name]), values.get(name), required.includes(name)),
  );
}

const schemaOf = (schema: unknown): Schema => (typeof schema === 'object' && schema !== null ? schema : {});

function fieldOf(name: string, schema: Schema, value: JsonNode | undefined, isRequired: boolean): InputField {
  const kind = kindOf(schema, value);
  const description = typeof schema.description === 'string' ? schema.description : '';
  const choices = kind === 'choice' ? (schema.enum ?? []).map((choice) => JSON.stringify(choice)) : [];
  return {
    name,
    kind,
    isRequired,
    description,
    choices,
    value: value === undefined ? null : textOf(kind, value),
  };
}

function kindOf({ type, enum: choices }: Schema, value: JsonNode | undefined): FieldKind {
  if (
    Array.isArray(choices) &&
    choices.length > 0 &&
    (value === undefined || choices.map((one) => JSON.stringify(one)).includes(rawOf(value)))
  )
    return 'choice';
  const of = value === undefined ? type : typeOf(value);
  if (of === 'string') return 'text';
  if (of === 'number' || of === 'integer') return 'number';
  return of === 'boolean' ? 'boolean' : 'json';
}

const typeOf = (value: JsonNode): string => {
  if (value.kind === 'word') return value.raw === 'null' ? 'null' : 'boolean';
  return value.kind;
};

const textOf = (kind: FieldKind, value: JsonNode): string =>
  kind === 'text' ? plainText(value) : rawOf(value);

/** JSON text of what is in the fields. @throws SyntaxError that names the field whose text is no JSON */
export function inputOf(fields: readonly InputField[]): string {
  const members = fields.flatMap(({ name, kind, value }) => {
    if (value === null) return [];
    const text = kind === 'text' ? JSON.stringify(value) : checked(name, kind, value);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

function checked(name: string, kind: FieldKind, value: string): string {
  const node = jsonTree(value);
  if (node === null || (kind === 'number' && node.kind !== 'number'))
    throw new SyntaxError(`${name}: ${kind === 'number' ? 'a number is needed' : 'this is no JSON'}`);
  return rawOf(node);
}

export interface InputChange {
  readonly name: string;
  /** JSON texts; null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What is different between two inputs, by field where both are objects. */
export function changesOf(before: string, after: string): readonly InputChange[] {
  const [from, to] = [membersOf(before), membersOf(after)];
  if (from === null || to === null)
    return compact(before) === compact(after)
      ? []
      : [{ name: '', before: compact(before), after: compact(after) }];
  const names = [...new Set([...from.keys(), ...to.keys()])];
  return names
    .map((name) => ({ name, before: from.get(name) ?? null, after: to.get(name) ?? null }))
    .filter((change) => change.before !== change.after);
}

function membersOf(text: string): ReadonlyMap<string, string> | null {
  const node = jsonTree(text);
  if (node === null || node.kind !== 'object' || node.members.some(({ key }) => key === null)) return null;
  return new Map(node.members.map(({ key, value }) => [JSON.parse(key!) as string, rawOf(value)]));
}

const compact = (text: string): string => {
  const node = jsonTree(text);
  return node === null ? text : rawOf(node);
};

interface RawJson {
  readonly rawJSON?: (text: string) => unknown;
}

/** A value to be sent with the very digits that its numbers are written with, where the browser can. */
export function sendable(text: string): unknown {
  const { rawJSON } = JSON as RawJson;
  if (rawJSON === undefined) return JSON.parse(text) as unknown;
  const build = (node: JsonNode): unknown => {
    if ('raw' in node) return node.kind === 'number' ? rawJSON(node.raw) : (JSON.parse(node.raw) as unknown);
    if (node.kind === 'array' && node.members.every(({ value }) => value.kind !== 'raw'))
      return node.members.map(({ value }) => build(value));
    if (node.members.some(({ value }) => value.kind === 'raw')) return JSON.parse(rawOf(node)) as unknown;
    return Object.fromEntries(
      node.members.map(({ key, value }) => [JSON.parse(key ?? '""') as string, build(value)]),
    );
  };
  const node = jsonTree(text);
  return node === null ? (JSON.parse(text) as unknown) : build(node);
}
