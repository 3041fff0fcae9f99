import { fromHex, isSame } from './bytes.js';

/** Of the points whose order divides 8: under such a key one signature is good for any text. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((y) => fromHex(y)!);

/**
 * Whether a public key may be used: y is below the prime 2^255 - 19, so that a key has one spelling, and its point is none of
 * small order. Programs for Ed25519 differ in what they make of the others; without them they all say the same.
 */
export function isStrictKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false;
  const y = publicKey.slice();
  y[31]! &= 0x7f;
  const isReduced = y[31]! < 0x7f || y[0]! < 0xed || y.subarray(1, 31).some((byte) => byte !== 0xff);
  return isReduced && !SMALL_ORDER.some((small) => isSame(small, y));
}
