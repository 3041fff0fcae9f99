import { type FieldError, Problem } from '#domain';

/** A refusal that lists fields; its detail is the first of them. */
export function invalidFields(errors: readonly FieldError[]): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_request', `${first?.path}: ${first?.message}${more}`, { errors });
}
