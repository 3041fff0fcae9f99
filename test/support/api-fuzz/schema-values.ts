import type { JsonSchema } from '../../../apps/server/src/edge/validation/rules.js';
import type { Dice } from '../../reliability/dice.js';

/** Texts that programs stumble over. */
const POISON = [
  '\0',
  '\ud800',
  '__proto__',
  'a'.repeat(5_000),
  '🚀',
  '../../etc/passwd',
  "'; drop table runs; --",
  '%s%n',
  '﻿',
  ' ',
  'null',
  '-1',
  '1e400',
  '2026-02-30T25:61:61Z',
];

/** Values of another kind than whatever is asked for. */
const STRANGE: readonly unknown[] = [
  null,
  -1,
  1e308,
  0.1,
  true,
  '',
  [],
  {},
  [[[[]]]],
  Number.MAX_SAFE_INTEGER,
];

/** Longer than an event may be, and than a body. */
const HUGE = [300_000, 2_200_000];

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);

/** Values that a schema describes, and values that it nearly describes. */
export class SchemaValues {
  constructor(
    private readonly dice: Dice,
    private readonly components: Readonly<Record<string, JsonSchema>>,
    /** Texts that mean something to the service, by the name of the field. */
    private readonly known: (field: string) => string | null,
  ) {}

  /** `wrongness`: how many of a hundred parts of the value are not what the schema says. */
  of(schema: JsonSchema, wrongness: number, field = '', depth = 0): unknown {
    if (this.dice.chance(wrongness)) return this.wrong(schema, field, depth);
    const ref = schema['$ref'];
    if (typeof ref === 'string')
      return this.of(this.components[ref.split('/').at(-1) ?? ''] ?? {}, wrongness, field, depth);
    const choices = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonSchema[] | undefined;
    if (choices) return this.of(this.dice.pick(choices), wrongness, field, depth);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return this.dice.pick(schema['enum'] as unknown[]);
    const type = Array.isArray(schema['type']) ? this.dice.pick(schema['type'] as string[]) : schema['type'];
    return this.ofType(String(type), schema, wrongness, field, depth);
  }

  strange(): unknown {
    return this.dice.pick([
      () => this.dice.pick(STRANGE),
      () => this.dice.pick(POISON),
      () => deep(this.dice.pick([3, 70])),
      () => ({ [this.dice.pick(POISON)]: this.dice.pick(STRANGE) }),
      () => 'é'.repeat(this.dice.chance(10) ? this.dice.pick(HUGE) / 2 : 100),
    ])();
  }

  text(field: string): string {
    if (this.dice.chance(5)) return this.dice.pick(POISON);
    const known = this.known(field);
    if (known === null || this.dice.chance(10)) return `${field} ${this.dice.below(1_000)}`;
    return this.dice.chance(10) ? likeIt(known) : known;
  }

  private wrong(schema: JsonSchema, field: string, depth: number): unknown {
    const beyond = this.dice.chance(50) ? this.beyond(schema, field, depth) : [];
    return beyond.length === 0 ? this.strange() : this.dice.pick(beyond);
  }

  /** Values just outside of what the schema allows; none where it draws no line. */
  private beyond(schema: JsonSchema, field: string, depth: number): unknown[] {
    const line = (name: string): number[] => (typeof schema[name] === 'number' ? [schema[name]] : []);
    const { items, enum: choices } = schema as { items?: JsonSchema; enum?: readonly unknown[] };
    return [
      ...line('minimum').flatMap((least) => [least - 1, least + 0.5, String(least)]),
      ...line('maximum').map((most) => most + 1),
      ...line('minLength').map(() => ''),
      ...line('maxLength').map((most) => 'x'.repeat(most + 1)),
      ...line('maxItems').map((most) =>
        Array.from({ length: most + 1 }, () => this.of(items ?? {}, 0, field, depth + 1)),
      ),
      ...line('minItems').map(() => []),
      ...line('maxProperties').map((most) =>
        Object.fromEntries(Array.from({ length: most + 1 }, (_, n) => [`x-${n}`, 'x'])),
      ),
      ...(choices ?? []).slice(0, 1).map((choice) => `${String(choice)} `),
    ];
  }

  private ofType(type: string, schema: JsonSchema, wrongness: number, field: string, depth: number): unknown {
    switch (type) {
      case 'string':
        return this.text(field);
      case 'boolean':
        return this.dice.chance(50);
      case 'integer':
      case 'number': {
        const least = Number(schema['minimum'] ?? 0);
        if (this.dice.chance(20)) return this.dice.pick([least, Number(schema['maximum'] ?? least)]);
        return least + this.dice.below(Math.min(Number(schema['maximum'] ?? 100) - least, 1_000) + 1);
      }
      case 'array':
        return Array.from({ length: depth > 4 ? 0 : this.dice.below(3) }, () =>
          this.of(schema['items'] as JsonSchema, wrongness, field, depth + 1),
        );
      case 'object':
        return this.object(schema, wrongness, depth);
      default:
        return this.strange();
    }
  }

  private object(schema: JsonSchema, wrongness: number, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const required = new Set(schema['required'] as readonly string[] | undefined);
    for (const [name, part] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
      const isThere = required.has(name)
        ? !this.dice.chance(wrongness)
        : this.dice.chance(depth > 2 ? 10 : 20);
      if (isThere) made[name] = this.of(part, wrongness, name, depth + 1);
    }
    if (this.dice.chance(wrongness)) made[this.text('unknown')] = this.strange();
    return made;
  }
}

/** Another text of the same form: an id that nobody gave. */
function likeIt(text: string): string {
  const last = text.at(-1) === '0' ? '1' : '0';
  return text.slice(0, -1) + last;
}
