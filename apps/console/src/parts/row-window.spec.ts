import { describe, expect, test } from '@jest/globals';
import { windowOf } from './row-window.js';

describe('the rows of a long table that are in the page', () => {
  test('are all of a short one', () => {
    expect(windowOf(12, 0, 900, 30)).toEqual({ from: 0, to: 12, abovePx: 0, belowPx: 0 });
  });

  test('are fifty about where one looks, and the rest keeps its room', () => {
    expect(windowOf(1000, 0, 900, 30)).toEqual({ from: 0, to: 50, abovePx: 0, belowPx: 28_500 });
    const middle = windowOf(1000, 15_000, 900, 30);
    expect(middle.from).toBeLessThanOrEqual(500);
    expect(middle.to).toBeGreaterThanOrEqual(530);
    expect(middle.to - middle.from).toBe(50);
    expect(windowOf(1000, 1e9, 900, 30)).toEqual({ from: 950, to: 1000, abovePx: 28_500, belowPx: 0 });
  });

  test('are as many as are in sight where those are more', () => {
    const { from, to } = windowOf(1000, 3000, 3000, 30);
    expect(from).toBeLessThanOrEqual(100);
    expect(to - from).toBe(101);
  });

  test('whatever the place, together they take the same room', () => {
    for (const top of [-500, 0, 777, 14_000, 29_000]) {
      const { from, to, abovePx, belowPx } = windowOf(1000, top, 900, 30);
      expect(abovePx + (to - from) * 30 + belowPx).toBe(30_000);
    }
  });
});
