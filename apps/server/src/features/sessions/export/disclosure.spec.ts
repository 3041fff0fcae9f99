import { expect, test } from '@jest/globals';
import { readDisclosure } from './disclosure.js';

const opened = (asked: string): number[] =>
  Array.from({ length: 12 }, (_, n) => n).filter((n) => readDisclosure(asked)!.opens(n));

test.each([
  ['all', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ['none', []],
  ['0', [0]],
  ['0,3-5', [0, 3, 4, 5]],
  ['3-5,0,4-7,9', [0, 3, 4, 5, 6, 7, 9]],
  ['2-2,2,1', [1, 2]],
])('%s opens %j', (asked, revisions) => expect(opened(asked)).toEqual(revisions));

test('tells the highest revision that is named', () => {
  expect(readDisclosure('9,2-4')!.highest).toBe(9);
  expect(readDisclosure('2-40,3')!.highest).toBe(40);
  expect(readDisclosure('all')!.highest).toBe(-1);
});

test.each([
  '',
  'ALL',
  ',',
  '1,',
  '1-',
  '-1',
  '5-3',
  '1 2',
  '1.5',
  '99999999999999999',
  `${'1,'.repeat(6_000)}1`,
])('is not made of %s', (asked) => expect(readDisclosure(asked)).toBeNull());
