import { isDeepStrictEqual } from 'node:util';
import { invalidFields } from '../../../edge/problems/invalid-fields.js';

/** Under which of its two names a field was sent: refusals name what the caller wrote. */
export function sentName<N extends string, A extends string>(sent: object, name: N, alias: A): N | A {
  const { [name]: value, [alias]: other } = sent as Readonly<Record<string, unknown>>;
  return value === undefined && other !== undefined ? alias : name;
}

/** The value of a field that has an old name, too. @throws Problem where both are there and differ */
export function either<T>(
  name: string,
  value: T | undefined,
  alias: string,
  other: T | undefined,
): T | undefined {
  if (value === undefined || other === undefined) return value ?? other;
  if (isDeepStrictEqual(value, other)) return value;
  throw invalidFields([{ path: alias, message: `must equal ${name}, of which it is another name` }]);
}
