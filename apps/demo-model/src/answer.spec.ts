import { describe, expect, it } from '@jest/globals';
import { answerTo } from './answer.js';
import { NOTICE } from './notice.js';

const said = (system: string): string =>
  answerTo({
    model: 'm',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: 'What is 6 x 7?' },
    ],
  }).text;

describe('answerTo', () => {
  it('says nothing of itself where the system prompt asks it to be brief', () => {
    expect(said('You are kind.')).toBe(`6 x 7 is 42. ${NOTICE}`);
    expect(said('You are kind. Be brief.')).toBe('6 x 7 is 42.');
  });
});
