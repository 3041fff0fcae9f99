import { invalidFields } from './run-body.js';

/** `Idempotency-Key`: 1 to 255 printable ASCII characters. @throws Problem invalid_request naming the header */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(header)) return header;
  const message = 'must be given once and be 1 to 255 printable ASCII characters';
  throw invalidFields([{ path: 'Idempotency-Key', message }]);
}
