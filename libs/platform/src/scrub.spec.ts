import { describe, expect, test } from '@jest/globals';
import { beginningOf, scrub, SCRUBBED_CHARS } from './scrub.js';

describe('texts of others are scrubbed', () => {
  test.each([
    ['postgres://me:hunter2@db/x and redis://:pw@h', 'postgres://***@db/x and redis://***@h'],
    ['a password with @: esdb://me:hun@ter@db:2113?x=1', 'a password with @: esdb://***@db:2113?x=1'],
    ['https://example.com/a, write to me@example.com', 'https://example.com/a, write to me@example.com'],
    ['sent Bearer abc.def', 'sent Bearer ***'],
    ['key annals_0123456789 and password=hunter2', 'key annals_*** and password=***'],
  ])('%s', (text, cleaned) => {
    expect(scrub(text)).toBe(cleaned);
  });

  test.each([
    ['a password whose @ is cut off', 'postgres://me:', 'hunter2@db'],
    ['a key of which hardly anything is left', 'annals_', '0123456789'],
    ['a token', 'Bearer ', 'abcdefgh'],
  ])('a cut shows no part of %s', (_, before, secret) => {
    for (let shown = 1; shown < secret.length; shown++) {
      const filler = '~ '.repeat(SCRUBBED_CHARS).slice(0, SCRUBBED_CHARS - before.length - shown - 1);
      const clean = scrub(`${filler} ${before}${secret} and more`);
      expect(clean.slice(filler.length).replace(before, '')).toMatch(/^ ?(postgres:\/\/)?\*\*\*$/);
      expect(clean.length).toBeLessThanOrEqual(SCRUBBED_CHARS + 3);
    }
  });
});

describe('the beginning of a text with secrets', () => {
  const secret = 'hunter2-hunter3';

  test('ends before a secret that would be cut, wherever that is', () => {
    for (let shown = 1; shown < secret.length; shown++)
      expect(beginningOf(`a ${secret} b`, 2 + shown, ['other', secret])).toBe('a ');
    expect(beginningOf(`a ${secret} b`, 2 + secret.length, [secret])).toBe(`a ${secret}`);
  });

  test('in any case, and of several the one that began first', () => {
    expect(beginningOf('say HUNTER2-HU and more', 14, [secret, 'hunted'])).toBe('say ');
  });

  test('is all of a short one', () => {
    expect(beginningOf('say hunter', 100, [secret])).toBe('say hunter');
    expect(beginningOf('nothing of it at all', 7, [])).toBe('nothing');
  });
});
