import { isObject } from './chat-request.js';

export interface Filling {
  /** Stands for a required string that the schema leaves open. */
  readonly text: string;
}

type Schema = Record<string, unknown>;

/** A schema that holds itself has no smallest value on this way. */
class Endless extends Error {}
const maxDepth = 24;

/** The smallest value that validates against a JSON schema; patterns and conditional keywords are not looked at. */
export function smallestJson(schema: unknown, filling: Filling = { text: '' }): unknown {
  try {
    return new Builder(schema, filling).value(schema, 0, 0);
  } catch (error) {
    if (error instanceof Endless) return null;
    throw error;
  }
}

class Builder {
  /** The references that are being followed. */
  private readonly following = new Set<string>(['#']);

  constructor(
    private readonly root: unknown,
    private readonly filling: Filling,
  ) {}

  /** `nth` tells the items of one array apart, for `uniqueItems`. */
  value(schema: unknown, depth: number, nth: number): unknown {
    if (depth > maxDepth) throw new Endless();
    if (!isObject(schema)) return null;
    if (typeof schema['$ref'] === 'string')
      return this.follow(schema, () => this.value(this.resolve(schema), depth + 1, nth));
    if ('const' in schema) return schema['const'];
    const values = schema['enum'];
    if (Array.isArray(values) && values.length > 0) return values[nth % values.length];
    if ('default' in schema) return schema['default'];
    if (Array.isArray(schema['allOf'])) return this.value(this.merged(schema), depth + 1, nth);
    const branches = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(branches)) return this.firstBranch(schema, branches, depth, nth);
    return this.ofType(schema, depth, nth);
  }

  private ofType(schema: Schema, depth: number, nth: number): unknown {
    switch (typeOf(schema)) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return this.array(schema, depth);
      case 'string':
        return text(schema, this.filling.text, nth);
      case 'integer':
      case 'number':
        return number(schema, nth);
      case 'boolean':
        return nth % 2 === 1;
      default:
        return null;
    }
  }

  private object(schema: Schema, depth: number): Schema {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
    return Object.fromEntries(
      required.map((name) => [
        name,
        this.value(properties[name] ?? schema['additionalProperties'], depth + 1, 0),
      ]),
    );
  }

  private array(schema: Schema, depth: number): unknown[] {
    const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
    return Array.from({ length: numeric(schema['minItems']) ?? 0 }, (_, i) =>
      this.value(first[i] ?? schema['items'], depth + 1, i),
    );
  }

  /** The first branch that ends: a recursive schema has one further on. */
  private firstBranch(schema: Schema, branches: unknown[], depth: number, nth: number): unknown {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    for (const [at, branch] of branches.entries()) {
      try {
        return this.follow(branch, () =>
          this.value(this.merged({ ...rest, allOf: [branch] }), depth + 1, nth),
        );
      } catch (error) {
        if (!(error instanceof Endless) || at === branches.length - 1) throw error;
      }
    }
    return null;
  }

  private follow(schema: unknown, build: () => unknown): unknown {
    const ref = isObject(schema) ? schema['$ref'] : undefined;
    if (typeof ref !== 'string') return build();
    if (this.following.has(ref)) throw new Endless();
    this.following.add(ref);
    try {
      return build();
    } finally {
      this.following.delete(ref);
    }
  }

  private merged({ allOf, ...rest }: Schema): Schema {
    return (allOf as unknown[]).reduce<Schema>((all, branch) => {
      const part = isObject(branch) && typeof branch['$ref'] === 'string' ? this.resolve(branch) : branch;
      if (!isObject(part)) return all;
      return {
        ...all,
        ...part,
        properties: { ...(all['properties'] as Schema), ...(part['properties'] as Schema) },
        required: [...((all['required'] as []) ?? []), ...((part['required'] as []) ?? [])],
      };
    }, rest);
  }

  private resolve(schema: Schema): unknown {
    const { $ref, ...beside } = schema;
    const found = String($ref)
      .split('/')
      .slice(1)
      .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), this.root);
    return isObject(found) ? { ...found, ...beside } : found;
  }
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type[0];
  if (type !== undefined) return type;
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'minItems' in schema) return 'array';
  if ('minLength' in schema || 'format' in schema || 'pattern' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema ? 'number' : 'null';
}

const samples: Record<string, string> = {
  'date-time': '2000-01-01T00:00:00Z',
  date: '2000-01-01',
  time: '00:00:00Z',
  email: 'demo@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function text(schema: Schema, open: string, nth: number): string {
  const sample = samples[String(schema['format'])];
  if (sample !== undefined) return sample;
  const wanted = numeric(schema['minLength']) ?? 0;
  const filled = open + (nth > 0 ? String(nth) : '');
  return filled.padEnd(wanted, 'x').slice(0, Math.max(wanted, numeric(schema['maxLength']) ?? Infinity));
}

function number(schema: Schema, nth: number): number {
  const whole = schema['type'] === 'integer';
  const step = numeric(schema['multipleOf']) ?? (whole ? 1 : undefined);
  const above = numeric(schema['exclusiveMinimum']);
  const below = numeric(schema['exclusiveMaximum']);
  const least = Math.max(numeric(schema['minimum']) ?? -Infinity, above ?? -Infinity);
  const most = Math.min(numeric(schema['maximum']) ?? Infinity, below ?? Infinity);
  const gap = step ?? (Number.isFinite(most - least) ? (most - least) / 4 : 1);
  let value = least > 0 || (least === 0 && above === 0) ? least : most < 0 ? most : Math.max(0, least);
  if (value === most && most < 0) {
    if (step !== undefined) value = Math.floor(value / step) * step;
    return value === below ? value - gap : value;
  }
  if (step !== undefined) value = Math.ceil(value / step) * step;
  if (value === above) value += gap;
  return value + nth * gap;
}

const numeric = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
