import { expect, it } from '@jest/globals';
import { askForSummary } from '#agent';
import { answerTo } from './answer.js';

it('sums up a conversation by what its user said, with what an earlier summary says', () => {
  const asked = askForSummary(533).content as string;
  expect(asked).toContain('It has 39 words at most');
  const user = (content: string) => ({ role: 'user', content }) as const;
  const messages = [user('Summary of the conversation so far. before'), user('What is 6 x 7?'), user(asked)];
  const { text, calls } = answerTo({ model: 'm', messages });
  expect(calls).toEqual([]);
  expect(text).toBe('Summary of the conversation so far. before The user said: "What is 6 x 7?".');
  const many = Array.from({ length: 50 }, (_, n) => user(`ask ${n} ${'so '.repeat(50)}`));
  expect(answerTo({ model: 'm', messages: [...many, user(asked)] }).text.length).toBeLessThan(250);
});
