import { hash } from 'node:crypto';
import { concat } from './bytes.js';

/** SHA-256 (FIPS 180-4) of parts, one behind the other. */
export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  hash('sha256', parts.length === 1 ? parts[0]! : concat(...parts), 'buffer');
