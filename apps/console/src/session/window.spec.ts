import { describe, expect, test } from '@jest/globals';
import {
  HEAD_PX,
  ROW_PX,
  followTo,
  heightOf,
  offsetText,
  rowAt,
  scrollTo,
  topOfRow,
  windowOf,
} from './window.js';

const heads = [
  { run: 'a', at: 1 },
  { run: 'b', at: 500 },
];

describe('the window of a log', () => {
  test('has rows under their heads', () => {
    expect(topOfRow(heads, 0)).toBe(0);
    expect(topOfRow(heads, 1)).toBe(ROW_PX + HEAD_PX);
    expect(topOfRow(heads, 500)).toBe(500 * ROW_PX + 2 * HEAD_PX);
    expect(heightOf(heads, 1000)).toBe(1000 * ROW_PX + 2 * HEAD_PX);
    for (const row of [0, 1, 2, 499, 500, 999]) expect(rowAt(heads, 1000, topOfRow(heads, row))).toBe(row);
  });

  test('draws what is seen and a little more, however long the log is', () => {
    const { from, to, sticky } = windowOf(heads, 100_000, topOfRow(heads, 700), 560);
    expect([from, to]).toEqual([696, 725]);
    expect(sticky?.run).toBe('b');
    expect(windowOf(heads, 100_000, 0, 560)).toMatchObject({ from: 0, sticky: null });
    expect(windowOf([], 0, 0, 560)).toEqual({ from: 0, to: 0, heads: [], sticky: null });
  });

  test('has the head of the run that is read, and none twice', () => {
    expect(windowOf(heads, 1000, topOfRow(heads, 1) - HEAD_PX, 560)).toMatchObject({ sticky: null });
    expect(windowOf(heads, 1000, topOfRow(heads, 1), 560).sticky?.run).toBe('a');
    expect(windowOf(heads, 1000, topOfRow(heads, 498), 560)).toMatchObject({ sticky: { run: 'a' }, heads });
  });

  test('is moved only where a row is not seen', () => {
    const top = topOfRow(heads, 100);
    expect(scrollTo(heads, 105, top, 560)).toBeNull();
    expect(scrollTo(heads, 300, top, 560)).toBeGreaterThan(top);
    expect(scrollTo(heads, 50, top, 560)).toBeLessThan(topOfRow(heads, 50));
  });
});

test('who follows the end sees the last event, however much of what was told stands behind it', () => {
  const to = followTo(heads, 700, 560);
  const { from, to: until } = windowOf(heads, 1000, to, 560);
  expect([from < 695, until > 705]).toEqual([true, true]);
  expect(followTo(heads, 2, 560)).toBe(0);
});

test('the offset of an event has as many figures as can be read', () => {
  expect([0, 4, 1210, 24_700, 125_000, 3_725_000].map(offsetText)).toEqual([
    '0.000',
    '0.004',
    '1.21',
    '24.7',
    '2:05',
    '1:02:05',
  ]);
});
