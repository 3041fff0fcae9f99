import { describe, expect, test } from '@jest/globals';
import { readConnection } from '../connection-string.js';
import { masked } from './masked.js';

const connection = readConnection('postgres://someone:hunter2-hunter3@db.example/data');

describe('what a database says', () => {
  test.each([
    ["Access denied for user 'ab'@'10.0.0.7' (1045)", 'Access denied for user *** (1045)'],
    ['role "ab" does not exist', 'role "***" does not exist'],
    ['no route to 10.0.0.1 (db.example)\nfor someone', 'no route to *** (***) for ***'],
  ])('%s', (said, shown) => {
    expect(masked(said, connection, '10.0.0.1')).toBe(shown);
  });

  test('a long one that consists of secrets does not end in the half of one', () => {
    for (let length = 1; length < 24; length++) {
      const said = 'x'.repeat(length) + 'hunter2-hunter3 '.repeat(2_000);
      expect(masked(said, connection, '10.0.0.1').replaceAll('***', '')).not.toMatch(/h|u/);
    }
  });

  test('a name in a message that is cut stays hidden', () => {
    const said = `${"'ab'@'h' ".repeat(1_900).slice(0, 16 * 1024 - 12)} role "nobody" knows`;
    expect(masked(said, connection, '10.0.0.1')).not.toContain('nob');
  });
});
