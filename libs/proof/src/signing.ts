import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { concat, fromHex } from './bytes.js';
import type { SigningKey } from './primitives.js';
import { isStrictKey } from './strict-key.js';

/** Ed25519 (RFC 8032). Node takes keys as DER: these bytes stand before the key's own (RFC 8410). */
const PRIVATE = fromHex('302e020100300506032b657004220420', 16)!;
const PUBLIC = fromHex('302a300506032b6570032100', 12)!;

/** @param seed 32 bytes */
export function signingKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({
    key: Buffer.from(concat(PRIVATE, seed)),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = new Uint8Array(
    createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC.length),
  );
  return { publicKey, sign: (message) => new Uint8Array(sign(null, message, key)) };
}

/** Strict: keys of small order and second spellings are refused, and so is a signature that is not reduced. */
export function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || !isStrictKey(publicKey)) return false;
  const key = createPublicKey({
    key: Buffer.from(concat(PUBLIC, publicKey)),
    format: 'der',
    type: 'spki',
  });
  return verify(null, message, key, signature);
}
