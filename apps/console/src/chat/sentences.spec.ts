import { describe, expect, test } from '@jest/globals';
import { sentencesFrom } from './sentences.js';

describe('what is said aloud of an answer', () => {
  test('is said by sentences, each once, and the rest when it is over', () => {
    const text = 'Hello there. It costs $89.00 (all of it!) and more';
    const first = sentencesFrom(text, 0, false);
    expect(first).toEqual({ say: 'Hello there. It costs $89.00 (all of it!)', upTo: 41 });
    expect(sentencesFrom(text, first.upTo, false)).toEqual({ say: '', upTo: 41 });
    expect(sentencesFrom(text, first.upTo, true)).toEqual({ say: 'and more', upTo: text.length });
  });

  test('waits for the end of a sentence, but not for ever', () => {
    expect(sentencesFrom('One sentence', 0, false).say).toBe('');
    expect(sentencesFrom('wort '.repeat(100), 0, false).say.length).toBeGreaterThan(400);
    expect(sentencesFrom('こんにちは。元気', 0, false).say).toBe('こんにちは。');
  });

  test('says the same in whatever pieces it comes', () => {
    const text = 'One. Two! Three? "Four." Five';
    let from = 0;
    const said: string[] = [];
    for (let end = 1; end <= text.length; end += 1) {
      const { say, upTo } = sentencesFrom(text.slice(0, end), from, end === text.length);
      if (say !== '') said.push(say);
      from = upTo;
    }
    expect(said.join(' ')).toBe(text);
  });
});
