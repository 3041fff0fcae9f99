import { describe, expect, it, test } from '@jest/globals';
import { hasOtherWords, indexText } from './index-text.js';
import { readQuery } from './query-text.js';
import { carryMarks, traceText } from './traced-text.js';

const SENTENCE = '我们公司的退款政策是三十天内无条件退款，请联系客服。';
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('a text as the index has it', () => {
  test.each([
    ['what is plain', "It's 5 o'clock.\n\tHalf past.", "It's 5 o'clock.\n\tHalf past."],
    ['composed letters', 'Größe Müller naïve', 'Größe Müller naïve'],
    ['letters and marks', 'Größe Müller naïve'.normalize('NFD'), 'Größe Müller naïve'],
    ['ligatures', 'o\ufb03ce \ufb01nd', 'office find'],
    ['full width', 'ＴＲＡＩＮＳ　２４', 'TRAINS 24'],
    ['half width', 'ﾃﾞｰﾀ', ' デー ータ タ '],
    ['soft hyphens', 'Schiff\u00adfahrt', 'Schifffahrt'],
    ['signs beside a word', 'note¹ 5½ Acme™ list①', 'note¹ 5½ Acme™ list①'],
    ['Chinese', '退款政策', ' 退款 款政 政策 策 '],
    ['one letter', '水', ' 水 '],
    ['letters beyond 16 bits', '𠮷野家', ' 𠮷野 野家 家 '],
    ['Thai, whose marks stay on their letters', 'ที่นี่', ' ที่นี่ นี่ '],
    ['Korean', '환불 정책', ' 환불 불   정책 책 '],
    ['several scripts', 'iPhone退款2024', 'iPhone 退款 款 2024'],
    ['punctuation', '三天，退款。', ' 三天 天 , 退款 款 。'],
  ])('%s', (_, text, expected) => expect(indexText(text)).toBe(expected));

  it('has other words than a parser finds only where they are written otherwise', () => {
    for (const text of ['plain', 'Größe\u00a0und …', 'note¹', 'Привет, мир'])
      expect(hasOtherWords(text)).toBe(false);
    for (const text of ['Größe'.normalize('NFD'), 'o\ufb03ce', '退款', 'Schiff\u00adfahrt'])
      expect(hasOtherWords(text)).toBe(true);
  });

  it('takes no longer for a long stretch than for many short ones', () => {
    const took = (text: string): number => {
      const begin = process.cpuUsage().user;
      indexText(text);
      return process.cpuUsage().user - begin;
    };
    const length = 400_000;
    took(SENTENCE.repeat(2_000));
    const short = took('退款政策，'.repeat(length / 5));
    expect(took('退'.repeat(length))).toBeLessThan(short * 10 + 100_000);
  });
});

describe('a query', () => {
  test.each([
    ['退款', [{ kind: 'pair', text: '退款' }]],
    ['水', [{ kind: 'prefix', text: '水' }]],
    ['退款政策*', ['退款', '款政', '政策'].map((text) => ({ kind: 'pair', text }))],
    ['ＴＲＡＩＮＳ', [{ kind: 'word', text: 'TRAINS' }]],
    ['inst*', [{ kind: 'prefix', text: 'inst' }]],
    ['＂two days＂', [{ kind: 'phrase', text: 'two days' }]],
    ['"退款政策"', [{ kind: 'phrase', text: ' 退款 款政 政策' }]],
    ['"退款政策。"', [{ kind: 'phrase', text: ' 退款 款政 政策' }]],
    ['"水"', [{ kind: 'prefix', text: '水' }]],
    ['"。"', []],
  ])('%s', (query, expected) => expect(readQuery(query)).toEqual(expected));

  it('has its phrases in the text that they were taken from', () => {
    for (const phrase of ['退款政策', '三十天内', '请联系客服', '客服']) {
      const [wanted] = readQuery(`"${phrase}"`);
      expect(words(indexText(SENTENCE)).join(' ')).toContain(words(wanted!.text).join(' '));
    }
    const [mixed] = readQuery('"iPhone退款2024"');
    expect(words(mixed!.text)).toEqual(words(indexText('iPhone退款2024')));
  });
});

describe('marks', () => {
  const marked = (text: string, found: string): string => {
    const traced = traceText(text);
    return carryMarks(text, traced, traced.text.replaceAll(found, `\u0001${found}\u0002`));
  };

  it('stand in the text of the document', () => {
    expect(marked('o\ufb03ce, the o\ufb03ce', 'office')).toBe('\u0001o\ufb03ce, the \u0001o\ufb03ce');
    const letters = 'die Größe'.normalize('NFD');
    expect(marked(letters, 'Größe')).toBe(letters.replace('G', '\u0001G'));
    expect(marked(SENTENCE, '退款')).toBe(SENTENCE.replaceAll('退款', '\u0001退款'));
    expect(marked('退退退款', '退款')).toBe('退退\u0001退款');
    expect(marked('nothing … 水', 'x')).toBe('nothing … 水');
  });

  it('are traced over the same words as the index has', () => {
    for (const text of [SENTENCE, 'iPhone退款2024 水', 'ที่นี่ o\ufb03ce', 'x'.normalize('NFD'), '退退退款退'])
      expect(words(traceText(text).text)).toEqual(words(indexText(text)));
  });
});
