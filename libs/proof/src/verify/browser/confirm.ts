import { takeAsked } from '../../signing.browser.js';

/**
 * Whether the browser's own Ed25519, where it has one, says the same of every signature. A machine that computes wrongly, or
 * a fault of ours, shows here and becomes no verdict.
 */
export async function isConfirmed(): Promise<boolean> {
  for (const { publicKey, message, signature, isGood } of takeAsked()) {
    const said = await browserSays(publicKey, message, signature);
    // Only of a good one: browsers differ in which keys they take at all.
    if (said === false && isGood) return false;
  }
  return true;
}

/** null: it has none, or does not take the key. */
async function browserSays(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean | null> {
  // Not there on plain http, whatever its type says.
  const subtle = globalThis.crypto.subtle as typeof globalThis.crypto.subtle | undefined;
  if (subtle === undefined) return null;
  try {
    const key = await subtle.importKey('raw', bufferOf(publicKey), 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, bufferOf(signature), bufferOf(message));
  } catch {
    return null;
  }
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
