import type { ValidationArguments, ValidatorConstraintInterface } from 'class-validator';

export type Subject = ValidationArguments;

/** How a refusal says what class-validator's rules say; the path stands before it. */
const WORDS: Readonly<Record<string, string>> = {
  arrayMaxSize: 'must have at most $constraint1 items',
  arrayNotEmpty: 'must not be empty',
  isArray: 'must be an array',
  isBoolean: 'must be true or false',
  isIn: 'must be one of $constraint1',
  isInt: 'must be a whole number',
  isNotEmpty: 'must not be empty',
  isObject: 'must be an object',
  max: 'must be $constraint1 or less',
  min: 'must be $constraint1 or more',
};

/** What is wrong, without the name of the field and never with its value. */
export function messageOf(
  rule: string,
  given: string | ((subject: Subject) => string) | undefined,
  constraint: ValidatorConstraintInterface,
  subject: Subject,
): string {
  const own = typeof given === 'function' ? given(subject) : given;
  const text = own ?? WORDS[rule] ?? constraint.defaultMessage?.(subject) ?? 'is wrong';
  return text
    .replace(/^(?:each value in )?\$property /, '')
    .replaceAll(/\$constraint(\d+)/g, (_, n: string) => saidOf(subject.constraints[Number(n) - 1]))
    .replaceAll('$property', subject.property)
    .replaceAll('$target', subject.targetName)
    .replaceAll('$value', 'the value');
}

const saidOf = (constraint: unknown): string =>
  Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
