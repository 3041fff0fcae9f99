import { describe, expect, test } from '@jest/globals';
import { mayBeRounded } from './rounded.js';

describe('a value that was read as JSON', () => {
  test('may be another than was written where a number has more digits than are kept', () => {
    for (const text of [
      '12345678901234567890',
      '{"a":[{"b":9007199254740993}]}',
      '0.12345678901234567',
      '1e300',
    ])
      expect([text, mayBeRounded(JSON.parse(text))]).toEqual([text, true]);
  });

  test('is what was written otherwise', () => {
    for (const text of [
      '89.00',
      '-0.1',
      '"12345678901234567890"',
      '[4711, 123456789012345, null, true]',
      '{}',
    ])
      expect([text, mayBeRounded(JSON.parse(text))]).toEqual([text, false]);
  });
});
