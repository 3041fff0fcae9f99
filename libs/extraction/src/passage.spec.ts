import { expect, test } from '@jest/globals';
import { languageOf } from './language.js';
import { type Block, PassageMaker } from './passage.js';

const passagesOf = (...blocks: Block[]) => {
  const maker = new PassageMaker();
  for (const block of blocks) maker.add(block);
  maker.finish();
  return maker.take();
};
const text = (text: string, page: number | null = null): Block => ({ text, page });

test('a page begins a passage, and so does a heading with text before it', () => {
  const made = passagesOf(
    { text: 'Book', page: 1, isHeading: true },
    { text: 'Chapter', page: 1, isHeading: true },
    text('one', 1),
    text('two', 1),
    { text: 'Next', page: 1, isHeading: true },
    text('three', 1),
    text('four', 2),
  );
  expect(made).toEqual([
    { text: 'Book\nChapter\none\ntwo', page: 1, heading: 'Book Chapter', position: 0 },
    { text: 'Next\nthree', page: 1, heading: 'Next', position: 21 },
    { text: 'four', page: 2, heading: 'Next', position: 32 },
  ]);
});

test('a long text is cut behind sentences, an endless word anywhere but within a character', () => {
  const sentences = passagesOf(text('A sentence of some words. '.repeat(200)));
  expect(sentences.every((passage) => passage.text.endsWith('words.'))).toBe(true);
  const endless = passagesOf(text('😀'.repeat(5000)));
  expect(endless.map((passage) => passage.text).join('')).toBe('😀'.repeat(5000));
  expect(endless.every((passage) => passage.text.isWellFormed() && passage.text.length <= 1400)).toBe(true);
});

test.each([
  ['english', 'The pump is to be installed in the hall with the valve shut.'],
  ['german', 'Die Pumpe ist in der Halle und das Ventil ist nicht offen.'],
  ['simple', 'AX-100 BX-200 CX-300 7781 9912'],
])('%s is told by its small words', (language, text) => {
  expect(languageOf(text)).toBe(language);
});
