import { describe, expect, it } from '@jest/globals';
import { insideOfJson } from './response-text.js';

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function inside(...texts: string[]): Promise<string> {
  let all = '';
  for await (const text of insideOfJson(pieces(...texts))) all += text;
  return `"${all}"`;
}

describe('the JSON of a text that comes in pieces', () => {
  it.each([
    [[]],
    [['']],
    [['a "quoted" \\ text\n', '\u2028', '\u0000']],
    [['\ud83d', '\ude00', ' smiles']],
    [['lone \ud83d', ' high, ', '\ude00 low', 'last \ud83d']],
    [['\ud83d', '\ud83d', '', '\ude00']],
  ])('is that of the whole: %j', async (texts) => {
    expect(await inside(...texts)).toBe(JSON.stringify(texts.join('')));
  });
});
