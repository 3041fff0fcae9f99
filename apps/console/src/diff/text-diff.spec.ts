import { describe, expect, test } from '@jest/globals';
import { diffOf } from './text-diff.js';

const shown = (a: string, b: string): string =>
  diffOf(a, b)
    .map((piece) => ({ both: piece.text, a: `[-${piece.text}-]`, b: `{+${piece.text}+}` })[piece.in])
    .join('');

describe('the difference of two texts', () => {
  test.each([
    ['', '', ''],
    ['same words', 'same words', 'same words'],
    ['', 'new', '{+new+}'],
    ['the brass lamp', 'the steel lamp', 'the [-brass-]{+steel+} lamp'],
    ['one two three', 'one three', 'one [-two -]three'],
    ['a b c d', 'a x c y', 'a [-b-]{+x+} c [-d-]{+y+}'],
  ])('of %p and %p is %p', (a, b, told) => {
    expect(shown(a, b)).toBe(told);
  });

  test('has both texts in it, whatever they are', () => {
    const words = ['lamp', ' ', 'é', '👍🏽', '\n', '.', 'broken'];
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 48_271) % 2_147_483_647) % n;
    const text = (): string => Array.from({ length: random(40) }, () => words[random(words.length)]).join('');
    for (let n = 0; n < 300; n++) {
      const [a, b] = [text(), text()];
      const pieces = diffOf(a, b);
      const of = (side: 'a' | 'b'): string =>
        pieces.map((piece) => (piece.in === 'both' || piece.in === side ? piece.text : '')).join('');
      expect([of('a'), of('b')]).toEqual([a, b]);
    }
  });

  test('of very long texts is what lies between their common beginning and end', () => {
    const [a, b] = ['x '.repeat(5000), 'y '.repeat(5000)];
    expect(diffOf(`head ${a}tail`, `head ${b}tail`).map((piece) => piece.in)).toEqual([
      'both',
      'a',
      'b',
      'both',
    ]);
  });
});
