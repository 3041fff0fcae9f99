import { describe, expect, it } from '@jest/globals';
import { chunk, said, sse, stop } from '../../../test/support/model-answers.js';
import { ThinkingTags } from './thinking-tags.js';

const answers = (content: string, ...before: object[]) => {
  const first = before.map((delta) => chunk(delta));
  const each = Array.from(content).map((char) => chunk({ content: char }));
  return [said(sse(...first, chunk({ content }), stop)), said(sse(...first, ...each, stop))];
};
const FENCED = 'Use this template:\n```\n<think>\nsteps\n</think>\n```\nThat is all.';

describe('thinking that is quoted', () => {
  it.each([
    FENCED,
    'Use this:\n<think>\nsteps\n</think>\nThat is all.',
    'Use this:\n<think>one</think>\n<THINK>\ntwo\n</THINK>\n\nThat is all.',
    'Nested:\n<think>\n<think>a</think>\n</think>\nThat is all.',
    'Behind `<think>` write the steps, then\n</think>\nThat is all.',
    'It ends so:\n```xml\n</think>\n```\nThat is all.',
    'It ends so:\n~~~\n```\n</think>\n~~~\nThat is all.',
    'It ends so:\n````md\n```\n</think>\n```\n````\nThat is all.',
    '1. It ends so:\n   ```\n   </think>\n   ```\nThat is all.',
    '> It ends so:\n> </think>\n\nThat is all.',
    'It ends so:\n\n    </think>\n\nThat is all.',
    'The tags:\n- </think>\n- </p>',
    'The last of them is `</think>',
    'The last of them is </think>',
    'The last of them is </think>\n',
    'The last of them is `</think>`.',
  ])('%j is text', (content) => {
    for (const answer of answers(content)) {
      expect(answer).toMatchObject({ text: content, thinking: '' });
      expect(answer.beginsInside).not.toBe(true);
    }
  });

  it('is text also where thinking has a field of its own', () => {
    for (const content of [FENCED, 'It ends so:\n</think>\n\nThat is all.'])
      for (const answer of answers(content, { reasoning_content: 'hm' })) {
        expect(answer).toMatchObject({ text: content, thinking: 'hm' });
        expect(answer.beginsInside).not.toBe(true);
      }
    const inside = { beginsInside: true };
    expect(
      said(sse(chunk({ reasoning_content: 'hm' }), chunk({ content: 'yes' }), stop), inside),
    ).toMatchObject({ text: 'yes', thinking: 'hm', beginsInside: false });
  });
});

describe('the end of thinking that the prompt began', () => {
  it.each([
    ['hm:\n```\nsteps\n```\nso.\n</think>\n\nyes', 'hm:\n```\nsteps\n```\nso.\n', 'yes'],
    ['a `b` and ```c``` d\n</think>\nyes', 'a `b` and ```c``` d\n', 'yes'],
    ['- one\n- two</think> \r\n\r\nyes', '- one\n- two', 'yes'],
    ['İİ\n</THINK>\n\nyes', 'İİ\n', 'yes'],
    ['hm\n</think>\n\nuse\n```\n<think>\n</think>\n```\n', 'hm\n', 'use\n```\n<think>\n</think>\n```\n'],
  ])('in %j is found', (content, thinking, text) => {
    for (const answer of answers(content))
      expect(answer).toMatchObject({ text, thinking, beginsInside: true });
  });

  it('counts before a call, too', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] });
    const answer = said(sse(chunk({ content: 'hm\n</think>\n\n' }), call, chunk({}, 'tool_calls')));
    expect(answer).toMatchObject({ text: '', thinking: 'hm\n', beginsInside: true });
  });
});

it.each([
  ['whose small letters are more', '<think>İİ</think>yes', 'İİ', 'yes'],
  [
    'with much space in them',
    `<think>a${' '.repeat(600)}b${' '.repeat(600)}</think>yes`,
    `a${' '.repeat(600)}b`,
    'yes',
  ],
  ['with much space behind them', `<think>a</think>${'\n'.repeat(600)}yes`, 'a', 'yes'],
  [
    'with much space before them',
    `${'\n'.repeat(257)}<think>a</think>`,
    '',
    `${'\n'.repeat(257)}<think>a</think>`,
  ],
  ['that end thinking before which nothing stands', '</think>\n', '', ''],
])('tags %s are told apart however they are cut', (_, content, thinking, text) => {
  for (const answer of answers(content)) expect(answer).toMatchObject({ text, thinking });
});

/** What is held back of a text stays short, and what is settled is not looked at again. */
it.each([
  ['tags in the midst of lines', '</think> x', 40_000],
  ['quoted tags', '`</think>\n', 40_000],
  ['tags behind tabs', `${'\t'.repeat(300)}</think>x`, 3000],
  ['thinking by pieces', '<think>a</think>\n', 60_000],
  ['white space', ' ', 400_000],
  ['beginnings of tags', '</think', 40_000],
])('%s take no time that grows with the square of their length', (_, piece, times) => {
  let chars = 0;
  const count = (text: string): void => void (chars += text.length);
  const listener = { text: count, thinking: count, wasThinking: () => undefined };
  const timeOf = (n: number): number => {
    const begin = performance.now();
    const tags = new ThinkingTags(listener);
    tags.add(piece.repeat(n));
    for (let i = 0; i < n; i++) tags.add(piece);
    tags.end(true);
    return performance.now() - begin;
  };
  timeOf(times / 10);
  expect(timeOf(times)).toBeLessThan(2500);
  expect(chars).toBeGreaterThan(0);
});
