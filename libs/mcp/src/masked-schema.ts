import { isRecord } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose texts are for people: they may say anything, and `***`, too. */
const TEXTS = new Set(['title', 'description', '$comment']);
/** Keywords that hold schemas: one under each name, one, or a list of them. */
const MAPS = new Set(['properties', '$defs', 'definitions']);
const ONE = new Set(['items', 'additionalProperties']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** What is nested deeper is not taken apart. */
const maxDepth = 64;

/**
 * A JSON schema of a server's without what only the caller may know: itself, where it holds none of that. Texts for people are
 * masked. Whatever else holds a secret is left out (a property by its name, a choice, a default, a pattern): masked, it would
 * ask for a value that the server does not take, or be no schema any more. So what the rest allows is what the server takes.
 */
export function schemaWithoutSecrets(schema: object, mask: SecretMask): object {
  return mask.holdsWithin(schema) ? new SchemaCleaning(mask).cleaned(schema as Schema, 0) : schema;
}

class SchemaCleaning {
  constructor(private readonly mask: SecretMask) {}

  cleaned(schema: Schema, depth: number): Schema {
    const choices: unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (this.mask.holds(keyword)) continue;
      // They name the choices, in the same order.
      const isNames = keyword === 'enumNames' && Array.isArray(value);
      const next = isNames ? this.namesOf(value, choices) : this.valueOf(keyword, value, depth + 1);
      if (next !== undefined) kept.push([keyword, next]);
    }
    return Object.fromEntries(kept);
  }

  /** undefined: the schema does without it. */
  private valueOf(keyword: string, value: unknown, depth: number): unknown {
    if (!this.mask.holdsWithin(value)) return value;
    if (typeof value === 'string') return TEXTS.has(keyword) ? this.mask.clean(value) : undefined;
    if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
    if (Array.isArray(value)) return this.listOf(keyword, value as unknown[], depth);
    if (MAPS.has(keyword)) {
      const named = Object.entries(value).filter(([name]) => !this.mask.holds(name));
      return Object.fromEntries(named.map(([name, inner]) => [name, this.schemaIn(inner, depth)]));
    }
    return ONE.has(keyword) ? this.schemaIn(value, depth) : undefined;
  }

  private listOf(keyword: string, list: readonly unknown[], depth: number): unknown {
    const left = LISTS.has(keyword)
      ? list.filter((inner) => !this.isSecretChoice(inner)).map((inner) => this.schemaIn(inner, depth))
      : list.filter((inner) => !this.mask.holdsWithin(inner));
    // One out of none is no schema; without the keyword anything may be.
    return left.length === 0 ? undefined : left;
  }

  private namesOf(names: readonly unknown[], choices: readonly unknown[]): unknown[] {
    const left = names.filter((_, at) => !this.mask.holdsWithin(choices[at]));
    return left.map((name) => (typeof name === 'string' ? this.mask.clean(name) : name));
  }

  /** A schema that is one value with its title; without the value it would be all of them. */
  private isSecretChoice(schema: unknown): boolean {
    return isRecord(schema) && 'const' in schema && this.mask.holdsWithin(schema['const']);
  }

  private schemaIn(value: unknown, depth: number): unknown {
    return isRecord(value) ? this.cleaned(value, depth) : this.mask.holdsWithin(value) ? {} : value;
  }
}
