import { sha512 } from '@noble/hashes/sha2.js';
import { concat, isSame } from '../../bytes.js';
import { isStrictKey } from '../../strict-key.js';

/**
 * Ed25519 (RFC 8032, 5.1.7): verifies only, for browsers, whose own has to be waited for and is not in all of them. Nothing
 * here is secret, so that it takes a time that tells its operands is no fault. Strict: keys and points have one spelling, keys
 * of small order are none, and s is below the order of the group.
 */
export function isEd25519Signature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== 64 || !isStrictKey(publicKey)) return false;
  const r = signature.subarray(0, 32);
  const s = numberOf(signature.subarray(32));
  const key = pointOf(publicKey);
  if (s >= L || key === null) return false;
  const k = numberOf(sha512(concat(r, publicKey, message))) % L;
  // R = s·B - k·A, compared as it is written.
  return isSame(bytesOf(sumOfProducts(s, BASE, k, negative(key))), r);
}

const P = 2n ** 255n - 19n;
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (value: bigint): bigint => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** Extended coordinates: x = X/Z, y = Y/Z, x·y = T/Z. */
interface Point {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;
  readonly T: bigint;
}

const ZERO: Point = { X: 0n, Y: 1n, Z: 1n, T: 0n };

/** RFC 8032, 5.1.4. */
function sum(a: Point, b: Point): Point {
  const A = mod((a.Y - a.X) * (b.Y - b.X));
  const B = mod((a.Y + a.X) * (b.Y + b.X));
  const C = mod(2n * D * mod(a.T * b.T));
  const Z = mod(2n * a.Z * b.Z);
  const [E, F, G, H] = [B - A, Z - C, Z + C, B + A];
  return { X: mod(E * F), Y: mod(G * H), Z: mod(F * G), T: mod(E * H) };
}

const negative = ({ X, Y, Z, T }: Point): Point => ({ X: mod(-X), Y, Z, T: mod(-T) });

/** s·a + k·b, bit by bit for both at once. */
function sumOfProducts(s: bigint, a: Point, k: bigint, b: Point): Point {
  const both = sum(a, b);
  let result = ZERO;
  for (let bit = 252n; bit >= 0n; bit--) {
    result = sum(result, result);
    const [isA, isB] = [(s >> bit) & 1n, (k >> bit) & 1n];
    if (isA && isB) result = sum(result, both);
    else if (isA) result = sum(result, a);
    else if (isB) result = sum(result, b);
  }
  return result;
}

/** Of bytes with the lowest first. */
function numberOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte);
  return value;
}

/** RFC 8032, 5.1.3; null: it is no point. */
function pointOf(bytes: Uint8Array): Point | null {
  const written = numberOf(bytes);
  const sign = written >> 255n;
  const y = written & ((1n << 255n) - 1n);
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  const candidate = mod(u * power(v, 3n) * power(mod(u * power(v, 7n)), (P - 5n) / 8n));
  const square = mod(v * candidate * candidate);
  if (square !== u && square !== mod(-u)) return null;
  const x = square === u ? candidate : mod(candidate * ROOT_OF_MINUS_ONE);
  if (x === 0n && sign === 1n) return null;
  const X = (x & 1n) === sign ? x : mod(-x);
  return { X, Y: y, Z: 1n, T: mod(X * y) };
}

function bytesOf({ X, Y, Z }: Point): Uint8Array {
  const inverse = power(Z, P - 2n);
  const [x, y] = [mod(X * inverse), mod(Y * inverse)];
  const written = y | ((x & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, (_, at) => Number((written >> BigInt(8 * at)) & 0xffn));
}

/** y = 4/5, x even (RFC 8032, 5.1). */
const BASE = pointOf(
  Uint8Array.from({ length: 32 }, (_, at) => Number((mod(4n * power(5n, P - 2n)) >> BigInt(8 * at)) & 0xffn)),
)!;
