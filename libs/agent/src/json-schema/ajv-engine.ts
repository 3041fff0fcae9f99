import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalJson } from '#domain';
import { FORMATS } from './formats.js';
import { LinearPattern } from './linear-pattern.js';
import { type SchemaFault, type SchemaSurvey, WORK } from './schema-survey.js';
import type { WorkBudget } from './work-budget.js';

export type Draft = '2020-12' | '07';

const DRAFTS: Readonly<Record<string, Draft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': '07',
  'https://json-schema.org/draft-07/schema': '07',
};

/** 2020-12 where the schema does not say; null: another one, which is not supported. */
export function draftOf(schema: object): Draft | null {
  const named: unknown = (schema as { $schema?: unknown }).$schema;
  if (named === undefined) return '2020-12';
  return typeof named === 'string' ? (DRAFTS[named.replace(/#$/, '')] ?? null) : null;
}

const engineOf = (draft: Draft, options: Options): Ajv =>
  draft === '07' ? new Ajv(options) : new Ajv2020(options);

const LENIENT = { strict: false, logger: false } as const satisfies Options;

const metaEngines = new Map<Draft, Ajv>();

/** What the draft's own schema says of a schema. Making it takes 40 ms, once. */
export function metaFault(schema: object, draft: Draft): SchemaFault | null {
  let engine = metaEngines.get(draft);
  if (engine === undefined) metaEngines.set(draft, (engine = engineOf(draft, LENIENT)));
  if (engine.validateSchema(schema) === true) return null;
  const [error] = engine.errors ?? [];
  return { at: dotted(error?.instancePath ?? ''), message: error?.message ?? 'is not a JSON schema' };
}

/**
 * Makes the validator. Each has an engine of its own: what one schema calls itself is nothing to another.
 * @throws Error where a reference leads nowhere
 */
export function compileValidator(
  schema: object,
  draft: Draft,
  survey: SchemaSurvey,
  budget: WorkBudget,
): ValidateFunction {
  const engine = engineOf(draft, {
    ...LENIENT,
    allErrors: true,
    // What the draft says was checked before; without its schema nothing outside of this one can be referred to.
    meta: false,
    validateSchema: false,
    // Inlined, a schema of 30 KB that is referred to a thousand times would be 30 MB of code.
    inlineRefs: false,
    // Its optimiser takes three times as long as everything else.
    code: { optimize: false, regExp: regExpOf(survey, budget) },
    formats: FORMATS,
  });
  const budgeted = { schema: false, errors: false, valid: true } as const;
  const spend = () => {
    budget.spend(1);
    return true;
  };
  engine.addKeyword({ keyword: WORK, schemaType: 'boolean', validate: spend, ...budgeted });
  // Ajv compares each item with each other.
  engine.removeKeyword('uniqueItems');
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isAsked: boolean, items: readonly unknown[]) => {
      budget.spend(items.length);
      return !isAsked || new Set(items.map(canonicalJson)).size === items.length;
    },
  });
  return engine.compile(schema);
}

function regExpOf(survey: SchemaSurvey, budget: WorkBudget) {
  const find = (source: string): LinearPattern => {
    const pattern = survey.patterns.get(source) ?? LinearPattern.compile(source, budget);
    if (typeof pattern === 'string') throw new Error(`${source.slice(0, 100)} ${pattern}`);
    return pattern;
  };
  return Object.assign(find, { code: 'linearPattern' });
}

/** `/properties/a~1b/0` as `.properties.a/b[0]`. */
export const dotted = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
