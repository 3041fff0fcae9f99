import { describe, expect, test } from '@jest/globals';
import { pageStarts } from './weighed-pages.js';

describe('the pages of a list whose items weigh differently', () => {
  test('are one where all of it is light enough, and none of an empty list', () => {
    expect(pageStarts([3, 3, 4], 10)).toEqual([0]);
    expect(pageStarts([], 10)).toEqual([]);
  });

  test('begin anew before the item that would be too much, and have one item at least', () => {
    expect(pageStarts([3, 3, 4, 1, 9, 2], 10)).toEqual([0, 3, 5]);
    expect(pageStarts([50, 1, 50], 10)).toEqual([0, 1, 2]);
  });
});
