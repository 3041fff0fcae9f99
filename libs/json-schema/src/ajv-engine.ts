import { Ajv, type Options, type ValidateFunction, _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import names from 'ajv/dist/compile/names.js';
import { canonicalJson } from '#domain';
import { FORMATS } from './formats.js';
import { ENOUGH, type SchemaFault } from './schema-survey.js';
import { MAX_ERRORS } from './validation.js';
import type { Patterns } from './patterns.js';

export type Draft = '2020-12' | '07';

/** Without the scheme, which is written as it comes, and the `#` behind it. */
const DRAFTS: Readonly<Record<string, Draft>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft-07/schema': '07',
  // OpenAPI 3.1's own words beside the draft's are ignored.
  'spec.openapis.org/oas/3.1/dialect/base': '2020-12',
};

/** 2020-12 where the schema does not say; null: another one, which is not supported. */
export function draftOf(schema: object): Draft | null {
  const named: unknown = (schema as { $schema?: unknown }).$schema;
  if (named === undefined) return '2020-12';
  if (typeof named !== 'string') return null;
  const name = named.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DRAFTS, name) ? DRAFTS[name]! : null;
}

const engineOf = (draft: Draft, options: Options): Ajv =>
  draft === '07' ? new Ajv(options) : new Ajv2020(options);

const LENIENT = { strict: false, logger: false } as const satisfies Options;

const metaEngines = new Map<Draft, Ajv>();

/** What the draft's own schema says of a schema that has no `$schema` of its own. Making it takes 40 ms, once. */
export function metaFault(schema: object, draft: Draft): SchemaFault | null {
  let engine = metaEngines.get(draft);
  if (engine === undefined) metaEngines.set(draft, (engine = engineOf(draft, LENIENT)));
  if (engine.validateSchema(schema) === true) return null;
  const [error] = engine.errors ?? [];
  return { at: dotted(error?.instancePath ?? ''), message: error?.message ?? 'is not a JSON schema' };
}

/** A validator that has found so many errors looks for no more. */
export const ENOUGH_ERRORS = MAX_ERRORS + 1;

/**
 * Makes the validator. Each has an engine of its own: what one schema calls itself is nothing to another.
 * @throws Error where a reference leads nowhere
 */
export function compileValidator(schema: object, draft: Draft, patterns: Patterns): ValidateFunction {
  const regExp = Object.assign((source: string) => patterns.get(source), { code: 'patternOf' });
  const engine = engineOf(draft, {
    ...LENIENT,
    allErrors: true,
    // What the draft says was checked before; without its schema nothing outside of this one can be referred to.
    meta: false,
    validateSchema: false,
    // Inlined, a schema of 30 KB that is referred to a thousand times would be 30 MB of code.
    inlineRefs: false,
    // Its optimiser takes three times as long as everything else.
    code: { optimize: false, regExp },
    formats: FORMATS,
    // 0.29 is a multiple of 0.01, whatever a computer makes of it.
    multipleOfPrecision: 8,
  });
  stopWhereEnough(engine);
  for (const keyword of ['anyOf', 'oneOf', 'propertyNames']) lookForOneError(engine, keyword);
  // Ajv compares each item with each other.
  engine.removeKeyword('uniqueItems');
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isAsked: boolean, items: readonly unknown[]) =>
      !isAsked || new Set(items.map(canonicalJson)).size === items.length,
  });
  return engine.compile(schema);
}

/**
 * Ajv finds one error or all of them, 45 million where 5,000 items miss 9,000 properties each. Here each subschema begins
 * by looking at how many there are. Not inside of alternatives, whose errors may come to nothing.
 */
function stopWhereEnough(engine: Ajv): void {
  engine.addKeyword({
    keyword: ENOUGH,
    schemaType: 'boolean',
    code({ gen, it }) {
      if (it.compositeRule === true || it.allErrors !== true) return;
      gen.if(_`${names.default.errors} >= ${ENOUGH_ERRORS}`, () => {
        gen.assign(_`${it.validateName}.errors`, names.default.vErrors);
        gen.return(false);
      });
    },
  });
  // First of those that hold for values of any type.
  const rules = engine.RULES.rules.find(({ type }) => type === undefined)?.rules;
  rules?.unshift(rules.pop()!);
}

/** Inside of alternatives one error of each says why. */
function lookForOneError(engine: Ajv, keyword: string): void {
  const rule = engine.RULES.all[keyword];
  if (typeof rule !== 'object' || !('code' in rule.definition)) return;
  const definition = rule.definition;
  rule.definition = {
    ...definition,
    code(context, type) {
      const it = context.it as { allErrors?: boolean };
      const { allErrors } = it;
      it.allErrors = false;
      definition.code(context, type);
      if (allErrors === undefined) delete it.allErrors;
      else it.allErrors = allErrors;
    },
  };
}

/** `/properties/a~1b/0` as `.properties.a/b[0]`. */
export const dotted = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
