/** Bytes, and the texts that stand for them: hex in lower case, base64 of RFC 4648 section 4, each with one spelling only. */

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  let length = 0;
  for (const part of parts) length += part.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

export const HASH_BYTES = 32;

/** Copies of the hashes that stand one behind the other. */
export const splitHashes = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    Uint8Array.from(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );

/** 8 bytes, big-endian. @param value 0 to 2^53 - 1 */
export function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  for (let [at, rest] = [7, value]; rest > 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  return bytes;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** null: it is no UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** With U+FFFD for what is no UTF-8. */
export const readableUtf8 = (bytes: Uint8Array): string => lenient.decode(bytes);

export const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** null: it is no hex, or of another length. @param length in bytes */
export function fromHex(text: string, length = HASH_BYTES): Uint8Array | null {
  if (text.length !== length * 2 || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16));
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** null: it is none, or another spelling of it. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const read = atob(text);
  return btoa(read) === text ? Uint8Array.from(read, (letter) => letter.charCodeAt(0)) : null;
}
