import { isDeepStrictEqual } from 'node:util';
import { invalidFields } from '../../../edge/problems/invalid-fields.js';

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
