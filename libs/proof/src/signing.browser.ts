import { isEd25519Signature } from './verify/browser/ed25519.js';

/** `signing.ts` without Node.js, and without signing. Owns what it was asked, for the browser's own Ed25519 to be asked, too. */

/** So many answers are held against the browser's. */
const MAX_ASKED = 100;

export interface Asked {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly isGood: boolean;
}

const asked: Asked[] = [];

/** What was asked since, the oldest first. */
export const takeAsked = (): readonly Asked[] => asked.splice(0);

export function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const isGood = isEd25519Signature(publicKey, message, signature);
  if (asked.length < MAX_ASKED) asked.push({ publicKey, message, signature, isGood });
  return isGood;
}

/** What signs is a server. */
export const signingKey = (): never => {
  throw new Error('a browser has no signing key');
};
