import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { fromHex, u64, utf8 } from '../../bytes.js';
import { isSignature, signingKey } from '../../signing.js';
import { isStrictKey } from '../../strict-key.js';
import { isEd25519Signature } from './ed25519.js';

const bytes = (hex: string): Uint8Array => fromHex(hex, hex.length / 2)!;

/** RFC 8032, 7.1. */
const VECTORS = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

/** A stream of bytes that is the same each time. */
function* pseudoRandom(seed: string): Generator<number, never> {
  for (let block = 0; ; block++) yield* createHash('sha256').update(seed).update(u64(block)).digest();
}

const SEED = 'ed25519';
const random = pseudoRandom(SEED);
const some = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random.next().value);
const below = (count: number): number => (some(1)[0]! * 256 + some(1)[0]!) % count;

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const number = (from: Uint8Array): bigint => BigInt(`0x${Buffer.from(from.toReversed()).toString('hex')}`);
const written = (value: bigint): Uint8Array => bytes(value.toString(16).padStart(64, '0')).toReversed();

describe('Ed25519 in a browser', () => {
  test.each(VECTORS)('takes the vectors of RFC 8032: %s', (key, message, signature) => {
    expect(isEd25519Signature(bytes(key), bytes(message), bytes(signature))).toBe(true);
    expect(isEd25519Signature(bytes(key), utf8(`${message}!`), bytes(signature))).toBe(false);
  });

  test(`says what node:crypto says of thousands of signatures, whole and mangled (seed ${SEED})`, () => {
    let good = 0;
    for (let round = 0; round < 300; round++) {
      const key = signingKey(some(32));
      const message = some(below(200));
      const signature = key.sign(message);
      const cases: [Uint8Array, Uint8Array, Uint8Array][] = [[key.publicKey, message, signature]];
      for (let mangled = 0; mangled < 4; mangled++) {
        const parts = [key.publicKey.slice(), message.slice(), signature.slice()] as const;
        const part = parts[below(3)]!;
        if (part.length > 0) part[below(part.length)]! ^= 1 << below(8);
        cases.push([...parts]);
      }
      cases.push([some(32), message, signature], [key.publicKey, message, some(64)]);
      for (const [publicKey, said, by] of cases) {
        const isGood = isSignature(publicKey, said, by);
        good += Number(isGood);
        expect(isEd25519Signature(publicKey, said, by)).toBe(isGood);
      }
    }
    expect(good).toBeGreaterThanOrEqual(300);
  });

  test('refuses, as node:crypto does, s that is not reduced', () => {
    const key = signingKey(new Uint8Array(32).fill(1));
    const message = utf8('m');
    const signature = key.sign(message);
    const larger = signature.slice();
    larger.set(written(number(signature.slice(32)) + L), 32);
    for (const is of [isSignature, isEd25519Signature]) {
      expect(is(key.publicKey, message, signature)).toBe(true);
      expect(is(key.publicKey, message, larger)).toBe(false);
      expect(is(key.publicKey, message, signature.slice(0, 63))).toBe(false);
    }
  });

  test('refuses keys of small order and second spellings, under which anybody can sign', () => {
    const zeros = new Uint8Array(64);
    const identity = bytes(`01${'00'.repeat(31)}`);
    zeros.set(identity);
    const p = 2n ** 255n - 19n;
    const sign = 2n ** 255n;
    const orderEight = [
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ].map((hex) => number(bytes(hex)));
    const ys = [0n, 1n, p - 1n, p, p + 1n, ...orderEight];
    for (const y of ys.flatMap((y) => [y, y + sign])) {
      const key = written(y);
      expect(isStrictKey(key)).toBe(false);
      for (const is of [isSignature, isEd25519Signature]) expect(is(key, utf8('any'), zeros)).toBe(false);
    }
    expect(isStrictKey(written(2n ** 255n - 1n))).toBe(false);
    expect(isStrictKey(signingKey(some(32)).publicKey)).toBe(true);
  });
});
