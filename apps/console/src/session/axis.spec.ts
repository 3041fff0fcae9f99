import { describe, expect, test } from '@jest/globals';
import { axisOf } from './axis.js';

describe('the axis by time', () => {
  test('is in proportion where no gap is folded', () => {
    const axis = axisOf([0, 10, 40, 100], 'time');
    expect([0, 1, 2, 3].map(axis.at)).toEqual([0, 0.1, 0.4, 1]);
    expect(axis.gaps).toEqual([]);
    expect(axis.atTime(70)).toBeCloseTo(0.7);
    expect([0, 0.25, 1].map(axis.timeAt)).toEqual([0, 25, 100]);
    expect([-1, 0.04, 0.3, 0.69, 0.71, 9].map(axis.nearest)).toEqual([0, 0, 2, 2, 3, 3]);
  });

  test('folds what is idle for over 30 s and over a tenth, also what is so only when a longer one is folded', () => {
    const [hour, day] = [3_600_000, 86_400_000];
    const times = [0, 10_000, 10_000 + day, 20_000 + day, 20_000 + day + hour, 30_000 + day + hour];
    const axis = axisOf(times, 'time');
    expect(axis.gaps.map(({ ms }) => ms)).toEqual([day, hour]);
    expect(axis.at(1)).toBeCloseTo(axis.at(3) - axis.at(2));
    for (const { from, to } of axis.gaps) expect(to - from).toBeCloseTo(0.025);
    expect(axis.at(5)).toBe(1);
    expect(axisOf([0, 20_000, 21_000], 'time').gaps).toEqual([]);
  });

  test('rises, holds one event, none, and clocks that go back', () => {
    expect(axisOf([], 'time').nearest(0.5)).toBe(0);
    expect(axisOf([5], 'time').at(0)).toBe(0);
    const axis = axisOf([0, 50, 40, 100], 'time');
    expect([0, 1, 2, 3].map(axis.at)).toEqual([0, 0.5, 0.5, 1]);
    expect(axis.nearest(0.5)).toBe(2);
    expect(axisOf([0, 50], 'time', 100).at(1)).toBe(0.5);
  });
});

describe('the axis by events', () => {
  test('gives each event the same room', () => {
    const axis = axisOf([0, 1, 1000], 'events');
    expect([0, 1, 2].map(axis.at)).toEqual([0, 0.5, 1]);
    expect(axis.atTime(500.5)).toBeCloseTo(0.75);
    expect([0.2, 0.3, 1].map(axis.nearest)).toEqual([0, 1, 2]);
  });
});
