import { createHash } from 'node:crypto';
import type { Sha256 } from '../primitives.js';

/** `hashing.ts` for any Node.js 20: `hash` of node:crypto came with 20.12. */

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function startSha256(): Sha256 {
  const hash = createHash('sha256');
  return { add: (part) => void hash.update(part), digest: () => hash.digest() };
}
