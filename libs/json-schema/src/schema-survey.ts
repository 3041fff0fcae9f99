import { type Schema, inPlainWords } from './dialects.js';
import { Patterns } from './patterns.js';

/** Arrays and objects within each other. */
export const MAX_SCHEMA_DEPTH = 32;
/** Compiling takes about a tenth of a millisecond for each. */
export const MAX_SUBSCHEMAS = 1000;

/** Name of the keyword at which a validator stops that has found enough. */
export const ENOUGH = 'annals:enough';

/** In a schema of one piece (without `$id`s inside) each dynamic reference leads where a plain one would: Ajv does not see it. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['$dynamicRef', '$ref'],
  ['$dynamicAnchor', '$anchor'],
]);

/** Where in the schema (`.properties.a`), and what. */
export interface SchemaFault {
  readonly at: string;
  readonly message: string;
}

/** Whose values are data, not schemas. */
const DATA = new Set(['enum', 'const', 'required', 'dependentRequired', 'type', '$vocabulary']);
/** Whose values are named schemas. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
  // OpenAPI's, below `components`.
  'schemas',
]);

/**
 * One pass over a schema before it is compiled: counts subschemas, compiles patterns, and copies it with dialects
 * normalised and a keyword in each subschema that stops validation after enough errors.
 */
export class SchemaSurvey {
  fault: SchemaFault | null = null;
  subschemas = 0;
  readonly patterns = new Patterns();
  /** References to the root by its anchor, which Ajv does not find. */
  private readonly toRoot = new Set<unknown>();

  constructor(
    /** Draft 2020-12, without an `$id` inside. */
    private readonly isOnePiece: boolean,
    /** Whether it says which draft it is of. */
    private readonly isDeclared: boolean,
  ) {}

  /** The copy of a whole schema; only of use where there is no `fault`. */
  root(schema: object): unknown {
    const { $anchor, $dynamicAnchor } = schema as { $anchor?: unknown; $dynamicAnchor?: unknown };
    if (this.isOnePiece)
      for (const anchor of [$anchor, $dynamicAnchor])
        if (typeof anchor === 'string') this.toRoot.add(`#${anchor}`);
    return this.schema(schema, '', 1);
  }

  private schema(value: unknown, at: string, depth: number): unknown {
    if (typeof value === 'boolean') this.count(at);
    if (typeof value !== 'object' || value === null || this.fault !== null) return value;
    if (depth > MAX_SCHEMA_DEPTH) return this.refuse(at, `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    if (Array.isArray(value)) return value.map((item, i) => this.schema(item, `${at}[${i}]`, depth + 1));
    this.count(at);
    const copy: Record<string, unknown> = { [ENOUGH]: true };
    for (const [keyword, part] of Object.entries(inPlainWords(value as Schema, this.isDeclared)))
      copy[this.nameOf(keyword, value, at)] = this.keyword(keyword, part, `${at}.${keyword}`, depth + 1);
    return copy;
  }

  private nameOf(keyword: string, beside: object, at: string): string {
    const isAnchorOfRoot = at === '' && keyword === '$dynamicAnchor';
    const plain = this.isOnePiece && !isAnchorOfRoot ? PLAIN.get(keyword) : undefined;
    if (plain !== undefined && plain in beside)
      this.refuse(`${at}.${keyword}`, `is not supported beside ${plain}`);
    return plain ?? keyword;
  }

  private keyword(keyword: string, value: unknown, at: string, depth: number): unknown {
    if (keyword === '$async' || keyword === '__proto__') return this.refuse(at, 'is not supported');
    if (keyword === 'pattern' && typeof value === 'string') this.pattern(value, at);
    if ((keyword === '$ref' || keyword === '$dynamicRef') && this.toRoot.has(value)) return '#';
    if (DATA.has(keyword)) return this.data(value, at, depth);
    if (!NAMED.has(keyword) || typeof value !== 'object' || value === null)
      return this.schema(value, at, depth);
    if (depth > MAX_SCHEMA_DEPTH) return this.refuse(at, `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    const copy: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(value)) {
      if (name === '__proto__') return this.refuse(`${at}.${name}`, 'is not supported');
      if (keyword === 'patternProperties') this.pattern(name, `${at}.${name}`);
      copy[name] = this.schema(part, `${at}.${name}`, depth + 1);
    }
    return copy;
  }

  private data(value: unknown, at: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null || this.fault !== null) return value;
    if (depth > MAX_SCHEMA_DEPTH) return this.refuse(at, `is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    for (const part of Object.values(value)) this.data(part, at, depth + 1);
    return value;
  }

  private pattern(source: string, at: string): void {
    const fault = this.fault === null ? this.patterns.add(source) : null;
    if (fault !== null) this.refuse(at, fault);
  }

  private count(at: string): void {
    this.subschemas += 1;
    if (this.subschemas > MAX_SUBSCHEMAS) this.refuse(at, `is one of more than ${MAX_SUBSCHEMAS} subschemas`);
  }

  private refuse(at: string, message: string): undefined {
    this.fault ??= { at, message };
  }
}
