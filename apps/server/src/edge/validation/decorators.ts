import {
  IsNotEmpty,
  IsString,
  NotContains,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { type Dto, noteNesting, notePrefix, noteReading, noteSchema } from './field-notes.js';
import { LENGTHS, isAtMost } from './lengths.js';
import { type JsonSchema, MAX_TIME, type Rule, headerFault, timeOf } from './rules.js';

/** Several decorators as one; the first is asked first, as if they stood below each other. */
export const all =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (prototype, property) => {
    for (const decorate of decorators.toReversed()) decorate(prototype, property);
  };

/** A field that may be left out. Unlike `@IsOptional()` it takes no null: to say nothing is to leave a field out. */
export const MayBeOmitted = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/**
 * A string of at most so many code points, as JSON Schema counts them. class-validator's `@MaxLength()` counts no variation
 * selectors, so that a text made of them would have no bound.
 */
export const MaxCharacters = (most: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'maxCharacters',
      constraints: [most],
      validator: {
        validate: (value) => typeof value === 'string' && isAtMost(most, value),
        defaultMessage: () => '$property must have at most $constraint1 characters',
      },
    },
    options,
  );

/** A text, which may be empty. */
export const IsText = (most: number, options?: ValidationOptions): PropertyDecorator =>
  all(IsString(options), MaxCharacters(most, options));

/** A text of one character or more: names, ids, messages. */
export const IsFilledText = (most: number, options?: ValidationOptions): PropertyDecorator =>
  all(IsString(options), IsNotEmpty(options), MaxCharacters(most, options));

/** Names, ids, names of keys. */
export const IsName = (options?: ValidationOptions): PropertyDecorator => IsFilledText(LENGTHS.name, options);

/** A name in a query string, whose escapes can make what no table can hold. */
export const IsNameParameter = (most: number = LENGTHS.name): PropertyDecorator =>
  all(IsFilledText(most), NotContains('\0', { message: '$property must not contain U+0000' }));

/** A rule of our own, where class-validator has none. Its faults may lie inside of the value. */
export const Satisfies = (name: string, rule: Rule): PropertyDecorator =>
  ValidateBy(
    {
      name,
      validator: {
        validate: (value) => rule(value) === null,
        defaultMessage: (args) => `$property ${rule(args?.value)?.message ?? ''}`,
      },
    },
    { context: { rule } },
  );

/** A date, or a date and time with its offset from UTC; class-validator's `@IsISO8601()` takes times without one, too. */
export const IsTime = (): PropertyDecorator =>
  all(
    IsText(MAX_TIME),
    Satisfies('isTime', (value) =>
      timeOf(String(value)) === null
        ? { message: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' }
        : null,
    ),
  );

/** A string that is sent in a header. */
export const IsHeaderValue = (): PropertyDecorator =>
  Satisfies('isHeaderValue', (value) => {
    const message = typeof value === 'string' ? headerFault(value) : 'must be a string';
    return message === null ? null : { message };
  });

/** A DTO, or (with `@IsArray()`) a list of them. */
export const Nested = (of: Dto): PropertyDecorator =>
  all(noteNesting({ of: [of], choose: () => of }), ValidateNested());

/** One of several DTOs, which the field `by` of the value tells apart. */
export const NestedBy = (by: string, choices: Readonly<Record<string, Dto>>): PropertyDecorator => {
  const of = Object.values(choices);
  const choose = (value: unknown): Dto | null => {
    const kind = (value as Readonly<Record<string, unknown>>)[by];
    return typeof kind === 'string' && Object.hasOwn(choices, kind) ? (choices[kind] ?? null) : null;
  };
  const unknown = { at: `.${by}`, message: `must be one of ${Object.keys(choices).join(', ')}` };
  return all(noteNesting({ of, choose, unknown }), ValidateNested());
};

/** A DTO that what it stands in may have; where it may not, a field of it is refused, with the reason, whatever it holds. */
export const NestedWhere = <T extends object>(
  holds: (owner: Partial<T>) => boolean,
  of: Dto,
  otherwise: Dto,
): PropertyDecorator =>
  all(noteNesting({ of: [of], choose: (_, owner) => (holds(owner) ? of : otherwise) }), ValidateNested());

/** A field that is there to be refused by name. */
export const IsForeign = (message: string): PropertyDecorator =>
  all(
    MayBeOmitted(),
    Satisfies('isForeign', () => ({ message })),
  );

/** Of a query string: how the text becomes a value. What it cannot read it leaves as it is, for the rules to refuse. */
export const FromText = (read: (text: string) => unknown): PropertyDecorator => noteReading(read);

/** `name.KEY=VALUE` of a query string, for any keys: the field holds them by key. */
export const FromPrefixed = (): PropertyDecorator => notePrefix();

/** A whole number of a query string. */
export const FromDigits = (): PropertyDecorator =>
  FromText((text) => (/^\d{1,16}$/.test(text) ? Number(text) : text));

/** What the description of the interface says of a field besides its rules. */
export const Describe = (schema: JsonSchema): PropertyDecorator => noteSchema(schema);
