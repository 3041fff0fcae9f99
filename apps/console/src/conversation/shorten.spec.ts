import { describe, expect, test } from '@jest/globals';
import { bytesOf, shorten } from './shorten.js';

describe('a long text', () => {
  test('is shown whole up to 20,000 characters and 400 lines', () => {
    const text = 'a'.repeat(20_000);
    expect(shorten(text)).toEqual({ text, left: 0 });
    const lines = Array.from({ length: 400 }, (_, n) => `${n}`).join('\n');
    expect(shorten(lines)).toEqual({ text: lines, left: 0 });
  });

  test('is cut behind them, and never within a character', () => {
    expect(shorten('a'.repeat(20_001))).toEqual({ text: 'a'.repeat(20_000), left: 1 });
    const { text, left } = shorten(`${'a'.repeat(19_999)}😀b`);
    expect(text).toBe('a'.repeat(19_999));
    expect(left).toBe(3);
    expect(shorten('x\n'.repeat(1000)).text.split('\n')).toHaveLength(400);
  });

  test('has a size in bytes', () => {
    for (const text of ['abc', 'Grüße', '東京', '😀a'])
      expect(bytesOf(text)).toBe(new TextEncoder().encode(text).length);
  });
});
