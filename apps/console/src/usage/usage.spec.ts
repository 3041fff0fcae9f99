import { describe, expect, test } from '@jest/globals';
import { barsOf, dayAfter, lastDays } from './days.js';
import { type UsageItem, cachedShare, leftOf, shareOf } from './sums.js';

const item = (more: Partial<UsageItem>): UsageItem => ({
  runs: 1,
  model_calls: 1,
  input_tokens: 0,
  output_tokens: 0,
  estimated_calls: 0,
  unpriced_calls: 0,
  cost: '0',
  ...more,
});

describe('amounts of money', () => {
  test('what is left of a budget is never less than nothing', () => {
    expect(leftOf('50', '41.07')).toBe('8.93');
    expect(leftOf('1', '1.5')).toBe('0');
    expect(leftOf('0.3', '0.1')).toBe('0.2');
    expect(leftOf('9007199254740993', '0.000000000001')).toBe('9007199254740992.999999999999');
  });

  test('a share is for drawing: between 0 and 1', () => {
    expect([shareOf('1', '4'), shareOf('9', '4'), shareOf('0', '0'), shareOf('1', '0')]).toEqual([
      0.25, 1, 0, 1,
    ]);
  });

  test('cached input is a share of input, where a call reported it', () => {
    expect(cachedShare(item({ input_tokens: 1000, cached_input_tokens: 612 }))).toBe('61 %');
    expect(cachedShare(item({ input_tokens: 1000 }))).toBe('');
  });
});

describe('the bars of the days', () => {
  const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);

  test('stand for every day of the time, also where nothing was spent', () => {
    const items = [item({ day: '2026-02-27', cost: '2', runs: 3 }), item({ day: '2026-03-01', cost: '1' })];
    expect(barsOf(items, at('2026-02-27'), at('2026-03-02'))).toEqual([
      { day: '2026-02-27', cost: '2', runs: 3, height: 1 },
      { day: '2026-02-28', cost: '0', runs: 0, height: 0 },
      { day: '2026-03-01', cost: '1', runs: 1, height: 0.5 },
    ]);
  });

  test('are as many as can be told apart, and the newest', () => {
    const bars = barsOf([], at('2020-01-01'), at('2026-01-01'));
    expect(bars).toHaveLength(92);
    expect(bars.at(-1)?.day).toBe('2025-12-31');
  });

  test('the last days include today', () => {
    expect(lastDays(Date.parse('2026-03-01T12:00:00Z'), 3)).toEqual({ from: '2026-02-27', to: '2026-03-02' });
    expect(dayAfter('2026-12-31')).toBe('2027-01-01');
  });
});
