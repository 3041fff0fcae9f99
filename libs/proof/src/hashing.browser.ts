import { sha256 as hashOf } from '@noble/hashes/sha2.js';
import { concat } from './bytes.js';
import type { Sha256 } from './primitives.js';

/** `hashing.ts` without Node.js. */

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  hashOf(parts.length === 1 ? parts[0]! : concat(...parts));

export function startSha256(): Sha256 {
  const hash = hashOf.create();
  return { add: (part) => void hash.update(part), digest: () => hash.digest() };
}
