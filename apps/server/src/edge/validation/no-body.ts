import { check } from './fields.js';
import { invalidFields } from '../problems/invalid-fields.js';

class NoFieldsDto {}

/** For routes that take no body, or an empty object. @throws Problem */
export function noBody(body: unknown): void {
  const errors = body === undefined ? [] : check(NoFieldsDto, body);
  if (errors.length > 0) throw invalidFields(errors);
}
