import { describe, expect, it } from '@jest/globals';
import { inUsageOrder, usagePage } from './usage-order.js';

const groups = ['model', 'metadata.customer'];
const item = (model: string | null, customer: string | null) => ({ model, 'metadata.customer': customer });
const ITEMS = [
  item('a', ''),
  item('a', 'x'),
  item('a', null),
  item('b', 'é 🚀'),
  item('b', null),
  item(null, '0'),
  item(null, null),
];

/** All pages, one after the other. */
function walk(limit: number, items: readonly object[] = ITEMS): readonly object[][] {
  const pages: object[][] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = usagePage(items as typeof ITEMS, { groups, limit, cursor });
    pages.push([...page.items]);
    cursor = page.next_cursor;
  }
  return pages;
}

describe('the order of groups', () => {
  it('is that of their values, one group after the other, null last', () => {
    const shuffled = [...ITEMS].reverse().toSorted((a, b) => inUsageOrder(groups, a, b));
    expect(shuffled).toEqual(ITEMS);
  });
});

describe('pages of groups', () => {
  it('are one with all of them where no limit is asked for', () => {
    expect(usagePage(ITEMS, { groups })).toEqual({ items: ITEMS, next_cursor: null });
    expect(usagePage([{ runs: 1 }], { groups: [], limit: 1 })).toEqual({
      items: [{ runs: 1 }],
      next_cursor: null,
    });
  });

  it.each([1, 2, 3, 6, 7, 200])('of %d hold each group once, in their order', (limit) => {
    const pages = walk(limit);
    expect(pages.flat()).toEqual(ITEMS);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  });

  it('go on at a place in the order, also where the group there is gone or others have come', () => {
    const { next_cursor: cursor } = usagePage(ITEMS, { groups, limit: 2 });
    const later = [...ITEMS.slice(0, 1), item('a', 'w'), item('a', 'y'), ...ITEMS.slice(2)];
    expect(usagePage(later, { groups, limit: 2, cursor: cursor! }).items).toEqual([item('a', 'y'), ITEMS[2]]);
  });

  it('of other groups, or of another project, are another list', () => {
    const { next_cursor } = usagePage(ITEMS, { groups, limit: 2, project: 'p' });
    const cursor = next_cursor!;
    for (const other of [
      { groups },
      { groups, project: 'q' },
      { groups: ['model'], project: 'p' },
      { groups: groups.toReversed(), project: 'p' },
    ])
      expect(() => usagePage(ITEMS, { ...other, cursor })).toThrow(
        'cursor: must be the next_cursor of a page',
      );
    expect(() => usagePage(ITEMS, { groups, cursor: 'nonsense' })).toThrow('cursor: must be');
  });

  it('say so where a cursor would be too long for a request', () => {
    const long = [item('a', 'x'.repeat(10_000)), item('b', null)];
    expect(() => usagePage(long, { groups, limit: 1 })).toThrow('too long for a cursor');
    expect(usagePage(long, { groups }).items).toEqual(long);
  });
});
