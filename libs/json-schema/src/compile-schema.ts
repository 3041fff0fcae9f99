import type { FieldError } from '#domain';
import { type Draft, compileValidator, draftOf, metaFault } from './ajv-engine.js';
import { CompiledSchema } from './compiled-schema.js';
import { type SchemaFault, SchemaSurvey } from './schema-survey.js';
import { TOO_LARGE, schemaText } from './schema-text.js';
import { TookTooLong, withinTime } from './within-time.js';

export type Compilation =
  | { readonly kind: 'compiled'; readonly schema: CompiledSchema }
  | { readonly kind: 'refused'; readonly error: FieldError };

/** LRU cache of compiled schemas by JSON text; the most recent is last. Recovery compiles the same ones again. */
const cache = new Map<string, CompiledSchema>();
const MAX_CACHED = 64;
/** Bound on subschemas of all cached schemas, and so on memory. */
const MAX_CACHED_SUBSCHEMAS = 8_000;
let cachedSubschemas = 0;

/**
 * Compiles an untrusted JSON schema (draft 2020-12, or draft-07 where `$schema` says so). References must stay within
 * the schema; one that is too large, too deep or too slow is refused. It can still exhaust memory, so the service
 * compiles in a sandboxed process (`ProcessSchemas`).
 *
 * @param path of the schema in the request, for the error: `workflows[0].steps[2].output_schema`
 */
export function compileSchema(schema: object, path: string): Compilation {
  const text = schemaText(schema);
  if (text === null) return { kind: 'refused', error: { path, message: TOO_LARGE } };
  const known = cache.get(text);
  const made = known ?? compile(schema, text);
  if (!(made instanceof CompiledSchema))
    return { kind: 'refused', error: { path: path + made.at, message: made.message } };
  keep(text, made);
  return { kind: 'compiled', schema: made };
}

function keep(text: string, schema: CompiledSchema): void {
  if (cache.delete(text)) cachedSubschemas -= schema.subschemas;
  cache.set(text, schema);
  cachedSubschemas += schema.subschemas;
  for (const [oldest, { subschemas }] of cache) {
    if (cache.size <= MAX_CACHED && cachedSubschemas <= MAX_CACHED_SUBSCHEMAS) return;
    cache.delete(oldest);
    cachedSubschemas -= subschemas;
  }
}

function compile(schema: object, text: string): CompiledSchema | SchemaFault {
  const draft = draftOf(schema);
  if (draft === null) return { at: '.$schema', message: 'must be draft 2020-12 or draft-07' };
  try {
    return withinTime(COMPILE_MS, () => compileOf(schema, text, draft));
  } catch (error) {
    if (error instanceof TookTooLong) return { at: '', message: 'takes too long to compile' };
    return { at: '', message: error instanceof Error ? error.message : 'cannot be compiled' };
  }
}

/** CPU time limit of compiling (ms). */
const COMPILE_MS = 2_000;

function compileOf(schema: object, text: string, draft: Draft): CompiledSchema | SchemaFault {
  const { $schema, ...own } = schema as { readonly $schema?: unknown; readonly type?: unknown };
  const survey = new SchemaSurvey(draft === '2020-12' && !hasInnerId(schema, text), $schema !== undefined);
  const copy = survey.root(own);
  const fault = survey.fault ?? metaFault(copy as object, draft);
  if (fault !== null) return fault;
  const check = compileValidator(copy as object, draft, survey.patterns);
  const { type } = own;
  const takesText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  return endlessFault(check) ?? new CompiledSchema(check, survey.patterns, takesText, survey.subschemas);
}

const PROBES: readonly unknown[] = [null, true, 0, '', [], {}];

/** CPU time limit of each probe (ms). */
const PROBE_MS = 400;

/**
 * Detects a schema that refers to itself without descending into the value: it never ends, or takes exponential time.
 */
function endlessFault(check: (value: unknown) => unknown): SchemaFault | null {
  try {
    for (const probe of PROBES) withinTime(PROBE_MS, () => check(probe));
    return null;
  } catch (error) {
    if (!(error instanceof TookTooLong) && !(error instanceof RangeError)) throw error;
    return { at: '', message: 'refers to itself without end, or to itself too often' };
  }
}

/** Or what looks like one. */
function hasInnerId(schema: object, text: string): boolean {
  return text.split('"$id":').length - 1 > ('$id' in schema ? 1 : 0);
}
