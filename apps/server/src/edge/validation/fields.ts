import { ValidateBy, getMetadataStorage, validateSync } from 'class-validator';
import type { FieldError } from '#domain';
import { type Rule, isObject, listOf, object } from './rules.js';

export type Dto = new () => object;
interface Nesting {
  /** Every DTO that `choose` may name. */
  readonly of: readonly Dto[];
  /** The DTO that a value is held against, once its field has passed. */
  readonly choose: (value: unknown) => Dto;
  readonly isList: boolean;
}

/** What of a DTO is another DTO. Owns nothing else; filled while the classes are read. */
const nestings = new Map<object, Map<string, Nesting>>();
const knownFields = new Map<Dto, ReadonlyMap<string, RuleOfField>>();

interface RuleOfField {
  readonly rule: Rule;
  readonly isOptional: boolean;
}

/** A field that must be there. */
export const Required = (rule: Rule): PropertyDecorator => Field(rule, false);
/** A field that may be left out; null is not left out. */
export const Optional = (rule: Rule): PropertyDecorator => Field(rule, true);

/** A field that is a DTO of its own. */
export const OptionalObject = (of: Dto): PropertyDecorator => nested(one(of), Field(object, true));
export const RequiredObject = (of: Dto): PropertyDecorator => nested(one(of), Field(object, false));
/** A field that is one of several DTOs: `rule` makes sure that `choose` can tell which. */
export const OptionalUnion = (
  of: readonly Dto[],
  rule: Rule,
  choose: (value: unknown) => Dto,
): PropertyDecorator => nested({ of, choose, isList: false }, Field(rule, true));
/** A field that is an array of at most `most` DTOs. */
export const OptionalList = (of: Dto, most: number): PropertyDecorator =>
  nested(many(of), Field(listOf(object, most), true));
export const RequiredList = (of: Dto, most: number): PropertyDecorator =>
  nested(many(of), Field(listOf(object, most), false));

const one = (of: Dto): Nesting => ({ of: [of], choose: () => of, isList: false });
const many = (of: Dto): Nesting => ({ of: [of], choose: () => of, isList: true });

/** More than these help nobody, and an answer has a size, too. */
const MAX_ERRORS = 50;

/**
 * Checks a parsed body against a DTO: unknown fields at any depth, then what class-validator says of each object. Returns
 * what is wrong, at most MAX_ERRORS. The body itself is not changed, and is what the DTO describes if nothing is wrong.
 */
export function check(dto: Dto, body: unknown, path = '', errors: FieldError[] = []): FieldError[] {
  if (errors.length >= MAX_ERRORS) return errors;
  if (!isObject(body)) {
    errors.push({ path: path === '' ? 'body' : path, message: 'must be an object' });
    return errors;
  }
  const known = fieldsOf(dto);
  const instance = Object.create(dto.prototype) as Record<string, unknown>;
  for (const key of Object.keys(body)) {
    if (known.has(key)) instance[key] = body[key];
    else if (errors.length < MAX_ERRORS) {
      errors.push({ path: join(path, key.slice(0, 100)), message: 'is not a known field' });
    }
  }
  const wrong = isRight(known, instance) ? NONE : checkFields(instance, path, errors);
  checkNested(dto, instance, wrong, path, errors);
  return errors;
}

/** A field of a DTO, for the description of the interface. */
export interface FieldDescription extends RuleOfField {
  readonly name: string;
  /** The DTOs of which it is one, or a list of one; empty: the rule says all. */
  readonly of: readonly Dto[];
}

/** The fields of a DTO as they are checked, those that must be there first. */
export function describeFields(dto: Dto): readonly FieldDescription[] {
  const nested = nestings.get(dto.prototype as object);
  return [...fieldsOf(dto)]
    .map(([name, field]) => ({ name, ...field, of: nested?.get(name)?.of ?? [] }))
    .sort((a, b) => Number(a.isOptional) - Number(b.isOptional));
}

/** What class-validator would say; of a body that is right it makes 20 KB of garbage to say so. */
function isRight(
  known: ReadonlyMap<string, RuleOfField>,
  instance: Readonly<Record<string, unknown>>,
): boolean {
  for (const [field, rule] of known) if (!passes(rule, instance[field])) return false;
  return true;
}

const passes = ({ rule, isOptional }: RuleOfField, value: unknown): boolean =>
  (isOptional && value === undefined) || rule(value) === null;

const OPTIONS = { forbidUnknownValues: false, validationError: { target: false } };

/** Returns the names of the fields that are wrong. */
function checkFields(
  instance: Readonly<Record<string, unknown>>,
  path: string,
  errors: FieldError[],
): ReadonlySet<string> {
  const found = validateSync(instance, OPTIONS);
  if (found.length === 0) return NONE;
  for (const { property, value, contexts } of found) {
    const { rule } = (contexts as { field: { rule: Rule } }).field;
    const fault = value === undefined ? { message: 'is required' } : rule(value);
    if (fault !== null && errors.length < MAX_ERRORS) {
      errors.push({ path: join(path, property) + (fault.at ?? ''), message: fault.message });
    }
  }
  return new Set(found.map(({ property }) => property));
}

const NONE: ReadonlySet<string> = new Set();

function checkNested(
  dto: Dto,
  instance: Readonly<Record<string, unknown>>,
  wrong: ReadonlySet<string>,
  path: string,
  errors: FieldError[],
): void {
  for (const [field, { choose, isList }] of nestings.get(dto.prototype as object) ?? []) {
    const value = instance[field];
    if (value === undefined || wrong.has(field)) continue;
    const here = join(path, field);
    if (isList)
      (value as unknown[]).forEach((item, index) => check(choose(item), item, `${here}[${index}]`, errors));
    else check(choose(value), value, here, errors);
  }
}

const Field = (rule: Rule, isOptional: boolean): PropertyDecorator => {
  const field: RuleOfField = { rule, isOptional };
  return ValidateBy(
    {
      name: 'field',
      validator: {
        validate: (value: unknown) => passes(field, value),
        // The rule says it better; without a text class-validator leaves out the context.
        defaultMessage: () => 'is wrong',
      },
    },
    { context: field },
  );
};

const nested =
  (nesting: Nesting, field: PropertyDecorator): PropertyDecorator =>
  (prototype, property) => {
    const fields = nestings.get(prototype) ?? new Map<string, Nesting>();
    nestings.set(prototype, fields.set(String(property), nesting));
    field(prototype, property);
  };

function fieldsOf(dto: Dto): ReadonlyMap<string, RuleOfField> {
  let known = knownFields.get(dto);
  if (known === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    known = new Map(metadata.map(({ propertyName, context }) => [propertyName, context as RuleOfField]));
    knownFields.set(dto, known);
  }
  return known;
}

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
