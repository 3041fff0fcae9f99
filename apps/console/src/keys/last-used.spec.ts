import { expect, test } from '@jest/globals';
import { lastUsed } from './last-used.js';

const key = {
  created_at: '2026-11-27T19:12:00.000Z',
  last_used_at: '2026-11-27T20:00:00.000Z',
};
const wordsAt = (now: string, of: Parameters<typeof lastUsed>[0] = key): string =>
  lastUsed(of, Date.parse(now), true).words;

test('a key was last used in an hour, and more is not said', () => {
  expect(wordsAt('2026-11-27T20:00:03.000Z')).toBe('this hour');
  expect(wordsAt('2026-11-27T20:59:59.000Z')).toBe('this hour');
  expect(wordsAt('2026-11-27T21:28:00.000Z')).toBe('20:00 to 21:00');
  expect(wordsAt('2026-11-28T00:01:00.000Z')).toBe('2026-11-27');
  expect(wordsAt('2026-11-28T00:01:00.000Z', { ...key, last_used_at: null })).toBe('never');
});

test('and not before it was made', () => {
  const young = { created_at: '2026-11-27T20:41:00.000Z', last_used_at: '2026-11-27T20:00:00.000Z' };
  expect(wordsAt('2026-11-27T20:41:09.000Z', young)).toBe('this hour');
  expect(wordsAt('2026-11-27T21:05:00.000Z', young)).toBe('20:41 to 21:00');
});

test('a clock that is behind makes it no later than now', () => {
  expect(wordsAt('2026-11-27T19:59:59.000Z')).toBe('this hour');
});
