import { expect, test } from '@jest/globals';
import { SystemClock } from '#platform';
import { RateLimiter } from './rate-limiter.js';

class ManualClock extends SystemClock {
  time = 1_000_000;
  override now(): number {
    return this.time;
  }
}

const allowed = (limiter: RateLimiter, name: string, times: number) =>
  Array.from({ length: times }, () => limiter.take(name)).filter(({ isAllowed }) => isAllowed).length;

test('lets exactly the limit through in the minute that a first request begins', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock, 5);
  expect(limiter.take('a')).toEqual({ isAllowed: true, remaining: 4, resetS: 60 });
  clock.time += 59_000;
  expect(allowed(limiter, 'a', 10)).toBe(4);
  expect(limiter.take('a')).toEqual({ isAllowed: false, remaining: 0, resetS: 1 });
  expect(allowed(limiter, 'b', 10)).toBe(5);
  clock.time += 1_000;
  expect(allowed(limiter, 'a', 10)).toBe(5);
});

test('a clock that was set back locks nobody out for longer than a minute', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock, 1);
  limiter.take('a');
  clock.time -= 3_600_000;
  expect(limiter.take('a').resetS).toBeLessThanOrEqual(60);
});

test('remembers no more names than it may', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock, 1, 3);
  for (const name of ['a', 'b', 'c', 'd']) expect(limiter.take(name).isAllowed).toBe(true);
  expect(['d', 'c', 'b'].map((name) => limiter.take(name).isAllowed)).toEqual([false, false, false]);
  expect(limiter.take('a').isAllowed).toBe(true);
});
