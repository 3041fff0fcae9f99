import type { IncomingMessage } from 'node:http';
import { invalidFields } from '../problems/invalid-fields.js';

/** `Idempotency-Key`: 1 to 255 printable ASCII characters. @throws Problem invalid_request naming the header */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(header)) return header;
  const message = 'must be given once and be 1 to 255 printable ASCII characters';
  throw invalidFields([{ path: 'Idempotency-Key', message }]);
}

/** Of a request. Node joins a header that is given twice to one value, which would be another key. @throws Problem */
export function idempotencyKeyOf({ raw }: { readonly raw: IncomingMessage }): string | undefined {
  if (raw.headers['idempotency-key'] === undefined) return undefined;
  const given = raw.headersDistinct['idempotency-key'];
  return parseIdempotencyKey(given?.length === 1 ? given[0] : given);
}
