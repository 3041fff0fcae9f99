import { describe, expect, test } from '@jest/globals';
import { bytesOf, shorten, sizeOf } from './shorten.js';

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

  test('says its size as people do', () => {
    expect([812, 2104, 1_000_000, 999_960, 2.5e9].map(sizeOf)).toEqual([
      '812 B',
      '2.1 KB',
      '1.0 MB',
      '1.0 MB',
      '2.5 GB',
    ]);
    for (const text of ['abc', 'Grüße', '東京', '😀a'])
      expect(bytesOf(text)).toBe(new TextEncoder().encode(text).length);
  });
});
