import { type FieldError, Problem } from '#domain';

/** A refusal that lists fields; its detail is the first of them. @param reason the finer code of that */
export function invalidFields(errors: readonly FieldError[], reason?: string): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_request', `${first?.path}: ${first?.message}${more}`, {
    errors,
    ...(reason === undefined ? {} : { reason }),
  });
}
