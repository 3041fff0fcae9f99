import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDollars, parseDollars } from './dollars.js';

describe('money', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000000001'],
    [420_000_000n, '0.00042'],
    [1_000_000_000_000n, '1'],
    [1_500_000_000_000n, '1.5'],
    [123_456_789_000_000_000_000n, '123456789'],
  ])('%d picodollars read %s', (pico, text) => {
    expect(formatDollars(pico)).toBe(text);
    expect(parseDollars(text)).toBe(pico);
  });

  it('comes back as it was, in plain digits without exponent or trailing zeros', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (pico) => {
        const text = formatDollars(pico);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{0,11}[1-9])?$/);
        expect(parseDollars(text)).toBe(pico);
      }),
    );
  });

  it('adds up exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (amounts) => {
        const sum = amounts.reduce((total, n) => total + parseDollars(formatDollars(BigInt(n))), 0n);
        expect(sum).toBe(BigInt(amounts.reduce((total, n) => total + n, 0)));
      }),
    );
  });

  it('reads other plain decimals', () => {
    expect(parseDollars('0.40')).toBe(400_000_000_000n);
    expect(parseDollars('007.0')).toBe(7_000_000_000_000n);
  });

  it.each(['', '-1', '+1', '1e-7', '.5', '1.', '1,5', ' 1', '0.0000000000001', 'NaN'])(
    'refuses %j',
    (text) => {
      expect(() => parseDollars(text)).toThrow(RangeError);
    },
  );
});
