import { compileSchema } from './compile-schema.js';
import type { Validation } from './validation.js';

/** Requests to the process that compiles schemas. */
export type SchemaRequest =
  | { readonly kind: 'check'; readonly schema: object }
  | { readonly kind: 'validate'; readonly schema: object; readonly value: unknown }
  | { readonly kind: 'validate_text'; readonly schema: object; readonly text: string };

export type Checked =
  | { readonly kind: 'accepted'; readonly subschemas: number }
  /** `at`: where in the schema, `.properties.a`. */
  | { readonly kind: 'refused'; readonly at: string; readonly message: string };

export type SchemaAnswer<R extends SchemaRequest = SchemaRequest> = R extends { readonly kind: 'check' }
  ? Checked
  : Validation;

/** Of a place and of what is said of it: both hold names of the caller's. */
const MAX_CHARS = 500;

/** Compiles the schema, or finds it compiled, and does what is asked with it. */
export function answerSchemaRequest(request: SchemaRequest): Checked | Validation {
  const made = compileSchema(request.schema, '');
  if (made.kind === 'compiled') {
    const { schema } = made;
    if (request.kind === 'check') return { kind: 'accepted', subschemas: schema.subschemas };
    return request.kind === 'validate' ? schema.validate(request.value) : schema.validateText(request.text);
  }
  const at = shortened(made.error.path);
  const message = shortened(made.error.message);
  // It was checked when the run was accepted: this version may be stricter.
  return request.kind === 'check'
    ? { kind: 'refused', at, message }
    : { ok: false, errors: [`the schema itself is refused: ${at} ${message}`] };
}

const shortened = (text: string): string =>
  text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).toWellFormed()}…` : text;
