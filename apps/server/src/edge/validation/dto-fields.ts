import { ValidationTypes, getMetadataStorage } from 'class-validator';
import { type Dto, type FieldNotes, notesOf } from './field-notes.js';
import { type Subject, messageOf } from './messages.js';
import type { Rule } from './rules.js';

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** One decorator of a field. */
export interface FieldCheck {
  /** Of class-validator's rule: `isString`. */
  readonly name: string;
  readonly constraints: readonly unknown[];
  /** Of each item, not of the list. */
  readonly isEach: boolean;
  /** Ours, which can say where in the value its fault lies. */
  readonly rule: Rule | null;
  /** What class-validator tells a rule besides the value; of a list one for all items. */
  subject(value: unknown, object: object): Subject;
  passes(value: unknown, subject: Subject): boolean;
  message(subject: Subject): string;
}

type Condition = (object: object, value: unknown) => boolean;

export interface DtoField {
  readonly name: string;
  readonly notes: FieldNotes;
  /** Where one of them is false the field is not looked at. */
  readonly conditions: readonly Condition[];
  /** In the order in which they stand; the first that fails is what is wrong with the field. */
  readonly checks: readonly FieldCheck[];
  readonly isList: boolean;
  /** What the field is where it is left out. */
  readonly fallback: unknown;
}

/** By class. What class-validator keeps is read once: it searches and groups its metadata at every call. */
const known = new WeakMap<Dto, ReadonlyMap<string, DtoField>>();

/** The fields of a DTO by name, as its decorators state them; none: the class is no DTO. @throws what is not supported */
export function fieldsOf(dto: Dto): ReadonlyMap<string, DtoField> {
  let fields = known.get(dto);
  if (fields === undefined) {
    fields = readFields(dto);
    known.set(dto, fields);
  }
  return fields;
}

function readFields(dto: Dto): ReadonlyMap<string, DtoField> {
  const storage = getMetadataStorage();
  const stated = storage.getTargetValidationMetadatas(dto, '', false, false);
  if (stated.length === 0) return new Map();
  const initial = new dto() as Readonly<Record<string, unknown>>;
  const inherited = stated.filter(({ target }) => target !== dto);
  const ordered = [...inherited, ...stated.filter(({ target }) => target === dto)];
  return new Map(
    Object.entries(storage.groupByPropertyName(ordered)).map(([name, metadatas]) => [
      name,
      // Decorators are applied from the bottom up; they are meant from the top down.
      fieldOf(name, notesOf(dto, name), metadatas.toReversed(), initial[name]),
    ]),
  );
}

function fieldOf(
  name: string,
  notes: FieldNotes,
  metadatas: readonly Metadata[],
  fallback: unknown,
): DtoField {
  const conditions = metadatas.filter(isCondition).map(({ constraints: [holds] }) => holds as Condition);
  const checks = metadatas.filter((metadata) => !isCondition(metadata) && !isMark(metadata)).map(checkOf);
  const isList = checks.some((check) => check.name === 'isArray');
  return { name, notes, conditions, checks, isList, fallback };
}

const isCondition = ({ type }: Metadata): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;
/** Says that the field is known, or (noted by `@Nested`) that it holds a DTO. */
const isMark = ({ type }: Metadata): boolean =>
  type === ValidationTypes.WHITELIST || type === ValidationTypes.NESTED_VALIDATION;

function checkOf(metadata: Metadata): FieldCheck {
  const { each: isEach, groups, context, target, propertyName: property } = metadata;
  // Typed as always there by class-validator; what takes no arguments has none, and may have no name.
  const constraints = (metadata.constraints as unknown[] | undefined) ?? [];
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
  if (constraint === undefined || constraint.async || ((groups as string[] | undefined) ?? []).length > 0)
    throw new Error(`${property}: rules that wait or that belong to a group are not supported`);
  const { instance } = constraint;
  const name = (constraint.name as string | undefined) ?? metadata.type;
  const targetName = typeof target === 'string' ? target : target.name;
  return {
    name,
    constraints,
    isEach,
    rule: (context as { readonly rule?: Rule } | undefined)?.rule ?? null,
    subject: (value, object) => ({ targetName, property, constraints, object, value }),
    passes: (value, subject) =>
      metadata.validateIf?.(subject.object, value) === false || instance.validate(value, subject) === true,
    message: (subject) => messageOf(name, metadata.message, instance, subject),
  };
}
