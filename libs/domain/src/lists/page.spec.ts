import { expect, test } from '@jest/globals';
import { pageOf } from './page.js';

const page = (limit: number) => pageOf(['c', 'b', 'a'], limit, (last) => `after ${last}`);

test('a page names the last of its items when there are more', () =>
  expect(page(2)).toEqual({ items: ['c', 'b'], next_cursor: 'after b' }));

test('the last page has no cursor', () =>
  expect(page(3)).toEqual({ items: ['c', 'b', 'a'], next_cursor: null }));

test('an empty list is one page', () =>
  expect(pageOf([], 3, () => 'none')).toEqual({ items: [], next_cursor: null }));
