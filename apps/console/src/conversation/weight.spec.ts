import { describe, expect, test } from '@jest/globals';
import type { TextItem } from './items.js';
import { formattedKeys, weightOfText } from './weight.js';

const response = (key: string, text: string): TextItem => ({
  kind: 'response',
  key,
  event: Number(key),
  time: 0,
  run: 'r',
  isInherited: false,
  text: [text],
  isOpen: false,
  tookMs: 0,
});

describe('what is drawn with all its form', () => {
  test('is the newest, until the page would hold too many elements', () => {
    const items = Array.from({ length: 50 }, (_, n) => response(`${n}`, '- *a*\n'.repeat(40)));
    const keys = formattedKeys(items);
    expect(keys.has('49')).toBe(true);
    expect(keys.has('0')).toBe(false);
    expect(keys.size * weightOfText('- *a*\n'.repeat(40))).toBeLessThanOrEqual(500);
  });

  test('is all of it where it is plain', () => {
    expect(formattedKeys(Array.from({ length: 50 }, (_, n) => response(`${n}`, 'A sentence.'))).size).toBe(
      50,
    );
  });
});
