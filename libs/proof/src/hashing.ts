import { createHash, hash } from 'node:crypto';
import { HASH_BYTES } from './bytes.js';
import type { Sha256 } from './primitives.js';

/**
 * SHA-256 (FIPS 180-4) of parts, one behind the other. Written into an array of V8's own heap: a Buffer, which `hash` would
 * make, is one of malloc's each, and takes longer to make than the hash.
 */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const digest = hash('sha256', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'binary');
  const bytes = new Uint8Array(HASH_BYTES);
  for (let at = 0; at < HASH_BYTES; at++) bytes[at] = digest.charCodeAt(at);
  return bytes;
}

export function startSha256(): Sha256 {
  const hash = createHash('sha256');
  return { add: (part) => void hash.update(part), digest: () => hash.digest() };
}
