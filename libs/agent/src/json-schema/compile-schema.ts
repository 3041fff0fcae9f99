import type { FieldError } from '#domain';
import { compileValidator, draftOf, metaFault } from './ajv-engine.js';
import { CompiledSchema } from './compiled-schema.js';
import { MAX_SCHEMA_BYTES, type SchemaFault, SchemaSurvey } from './schema-survey.js';
import { TooMuchWork, WorkBudget } from './work-budget.js';

export type Compilation =
  | { readonly kind: 'compiled'; readonly schema: CompiledSchema }
  | { readonly kind: 'refused'; readonly error: FieldError };

/** Compiled schemas by their JSON text, the one that was asked for last at the end. Recovery compiles again. */
const cache = new Map<string, CompiledSchema>();
const MAX_CACHED = 64;

/**
 * Compiles a caller's JSON schema (draft 2020-12, or draft-07 where `$schema` says so). References lead within the schema
 * only, patterns are matched in linear time, and what is too large or too deep is refused: in the worst case this takes
 * about a tenth of a second.
 *
 * @param path where the schema stands in the request, for the error: `workflows[0].steps[2].output_schema`
 */
export function compileSchema(schema: object, path: string): Compilation {
  const text = jsonOf(schema);
  if (text === null || Buffer.byteLength(text) > MAX_SCHEMA_BYTES) {
    const message = `must not be larger than ${MAX_SCHEMA_BYTES} bytes, nor deeper than can be written`;
    return { kind: 'refused', error: { path, message } };
  }
  const known = cache.get(text);
  const made = known ?? compile(schema, text);
  if (!(made instanceof CompiledSchema))
    return { kind: 'refused', error: { path: path + made.at, message: made.message } };
  cache.delete(text);
  cache.set(text, made);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
  return { kind: 'compiled', schema: made };
}

function compile(schema: object, text: string): CompiledSchema | SchemaFault {
  const draft = draftOf(schema);
  if (draft === null) return { at: '.$schema', message: 'must be draft 2020-12 or draft-07' };
  const budget = new WorkBudget();
  const survey = new SchemaSurvey(budget, draft === '2020-12' && !hasInnerId(schema, text));
  const copy = survey.root(schema);
  const fault = survey.fault ?? metaFault(schema, draft);
  if (fault !== null) return fault;
  try {
    const check = compileValidator(copy as object, draft, survey, budget);
    const { type } = schema as { type?: unknown };
    const takesText = type === 'string' || (Array.isArray(type) && type.includes('string'));
    const compiled = new CompiledSchema(check, budget, takesText, survey.subschemas);
    return endlessFault(check, budget) ?? compiled;
  } catch (error) {
    return { at: '', message: error instanceof Error ? error.message : 'cannot be compiled' };
  }
}

/** Compiles a schema that is next to nothing, so that no request pays for making the engine: 40 ms, once. */
export function warmSchemaEngine(): void {
  compileSchema({}, '');
}

const PROBES: readonly unknown[] = [null, true, 0, '', [], {}];

/** A schema that refers to itself without going deeper into the value never ends, or takes exponential time. */
function endlessFault(check: (value: unknown) => unknown, budget: WorkBudget): SchemaFault | null {
  try {
    for (const probe of PROBES) {
      budget.refill();
      check(probe);
    }
    return null;
  } catch (error) {
    if (!(error instanceof TooMuchWork) && !(error instanceof RangeError)) throw error;
    return { at: '', message: 'refers to itself without end, or to itself too often' };
  }
}

/** Or what looks like one. */
function hasInnerId(schema: object, text: string): boolean {
  return text.split('"$id":').length - 1 > ('$id' in schema ? 1 : 0);
}

function jsonOf(schema: object): string | null {
  try {
    return JSON.stringify(schema);
  } catch (error) {
    // Too deep for the call stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
