import { describe, expect, test } from '@jest/globals';
import { axisOf } from '../session/axis.js';
import { ticksOf } from './ticks.js';

const ticks = (...times: number[]): number[] =>
  ticksOf(axisOf(times, 'time'), times[0] ?? 0, times.at(-1) ?? 0).map(({ ms }) => ms);

describe('the ticks of an axis', () => {
  test('are round, few, and apart', () => {
    expect(ticks(1000, 11_000, 25_400)).toEqual([0, 5000, 10_000, 15_000, 20_000]);
    expect(ticks(0, 10)).toEqual([0, 2, 4, 6, 8]);
  });

  test('none stands in what is folded, and one that takes a day is leapt over', () => {
    const day = 86_400_000;
    const found = ticks(0, 5000, 5000 + day, 10_000 + day);
    expect(found[0]).toBe(0);
    expect(found.length).toBeLessThan(8);
    expect(found.filter((ms) => ms > 5000 && ms < day)).toEqual([]);
  });

  test('a run without any length has its beginning', () => {
    expect(ticks(5, 5)).toEqual([0]);
  });
});
