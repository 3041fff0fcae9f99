import { describe, expect, it } from '@jest/globals';
import { titleOf } from './title.js';

describe('titleOf', () => {
  it('is the text as one line', () => expect(titleOf('  What\n is\t6 x 7? ')).toBe('What is 6 x 7?'));

  it('leaves 80 characters as they are', () => expect(titleOf('👍'.repeat(80))).toBe('👍'.repeat(80)));

  it('cuts between characters', () => expect(titleOf('👍'.repeat(81))).toBe(`${'👍'.repeat(79)}…`));

  it('is well-formed where only a part of the text is looked at', () =>
    expect(titleOf(`${' '.repeat(999)}👍`).isWellFormed()).toBe(true));
});
