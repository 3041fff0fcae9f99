import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { SystemClock } from './clock.js';

const DAY_MS = 86_400_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a timer may be longer than the longest that Node knows', () => {
  let fired = 0;
  new SystemClock().timer(100 * DAY_MS, () => fired++);
  jest.advanceTimersByTime(100 * DAY_MS - 1);
  expect(fired).toBe(0);
  jest.advanceTimersByTime(1);
  expect(fired).toBe(1);
});

test('a long timer can be cancelled on its way', () => {
  let fired = 0;
  const cancel = new SystemClock().timer(100 * DAY_MS, () => fired++);
  jest.advanceTimersByTime(60 * DAY_MS);
  cancel();
  jest.advanceTimersByTime(60 * DAY_MS);
  expect(fired).toBe(0);
});
