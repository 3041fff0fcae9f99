import { described, headerFault, isObject } from '../../../edge/validation/rules.js';

const MAX_HEADERS = 50;
const MAX_BYTES = 8 * 1024;
/** RFC 9110, 5.6.2 (token). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Hop-by-hop (RFC 9110, 7.6.1), and those that say how long the request is and for whom. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const SCHEMA = {
  type: 'object',
  maxProperties: MAX_HEADERS,
  propertyNames: { maxLength: MAX_BYTES },
  additionalProperties: { type: 'string', maxLength: MAX_BYTES },
};

/** Headers that a caller wants to see in its callbacks. */
export const callbackHeaders = described(SCHEMA, (value) => {
  if (!isObject(value)) return { message: 'must be an object' };
  const headers = Object.entries(value);
  if (headers.length > MAX_HEADERS) return { message: `must have at most ${MAX_HEADERS} headers` };
  let bytes = 0;
  for (const [name, content] of headers) {
    const message = wrongWith(name, content);
    if (message !== null) return { message, at: `.${name.slice(0, 100)}` };
    bytes += name.length + String(content).length;
  }
  return bytes > MAX_BYTES ? { message: `must be at most ${MAX_BYTES} bytes together` } : null;
});

function wrongWith(name: string, content: unknown): string | null {
  if (!NAME.test(name)) return 'is not a header name';
  if (RESERVED.has(name.toLowerCase())) return 'must not be set: it belongs to the connection';
  if (typeof content !== 'string') return 'must be a string';
  return headerFault(content);
}
