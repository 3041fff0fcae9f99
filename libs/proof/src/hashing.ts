import { createHash, hash } from 'node:crypto';
import type { Sha256 } from './primitives.js';

/** SHA-256 (FIPS 180-4) of parts, one behind the other. */
export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  hash('sha256', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'buffer');

export function startSha256(): Sha256 {
  const hash = createHash('sha256');
  return { add: (part) => void hash.update(part), digest: () => hash.digest() };
}
