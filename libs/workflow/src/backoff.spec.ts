import { describe, expect, it } from '@jest/globals';
import { backoffMs, maxAttemptsOf } from './backoff.js';
import type { RetryPolicy } from '#domain';

const waits = (policy: Omit<RetryPolicy, 'max_attempts'>): number[] =>
  [1, 2, 3, 4].map((attempt) => backoffMs({ max_attempts: 5, ...policy }, attempt));

describe('the wait after a failed attempt', () => {
  it.each([
    ['none', 500, [0, 0, 0, 0]],
    ['fixed', 500, [500, 500, 500, 500]],
    ['linear', 500, [500, 1000, 1500, 2000]],
    ['exponential', 500, [500, 1000, 2000, 4000]],
    ['exponential', 0, [0, 0, 0, 0]],
  ] as const)('grows as %s does from %d ms', (backoff, initial_delay_ms, expected) => {
    expect(waits({ backoff, initial_delay_ms })).toEqual(expected);
  });

  it('begins with a second where nothing is said', () => {
    expect(waits({ backoff: 'fixed' })).toEqual([1000, 1000, 1000, 1000]);
    expect(waits({ backoff: 'linear' })).toEqual([1000, 2000, 3000, 4000]);
    expect(waits({ backoff: 'exponential' })).toEqual([1000, 2000, 4000, 8000]);
  });

  it('is a whole number that a date can hold, however often it doubled', () => {
    for (const initial_delay_ms of [0, 1, Number.MAX_SAFE_INTEGER]) {
      const ms = backoffMs({ max_attempts: 5000, backoff: 'exponential', initial_delay_ms }, 5000);
      expect(Number.isSafeInteger(ms)).toBe(true);
      expect(Number.isNaN(new Date(Date.UTC(2030, 0) + ms).getTime())).toBe(false);
    }
  });
});

it('is tried once where there is no policy', () => {
  expect(maxAttemptsOf(undefined)).toBe(1);
  expect(maxAttemptsOf({ max_attempts: 3, backoff: 'none' })).toBe(3);
});
