import { describe, expect, test } from '@jest/globals';
import { scheduleInWords, secondsInWords } from './schedule-words.js';

const words = (schedule: number | string, timezone = 'UTC'): string =>
  scheduleInWords({ schedule, timezone });

describe('a schedule in words', () => {
  test.each([
    [3600, 'Once, 1 hour after it was asked for'],
    ['2030-01-31T09:00:00Z', 'Once, at 2030-01-31 09:00:00 UTC'],
    ['2030-01-31T09:00:00+01:00', 'Once, at 2030-01-31 09:00:00+01:00'],
    ['0 9 * * 1-5', 'Every weekday at 09:00, UTC'],
    ['0 9 * * MON-FRI', 'Every weekday at 09:00, UTC'],
    ['30 8,17 * * *', 'Every day at 08:30 and 17:30, UTC'],
    ['0 0 * * 0,6', 'Every Saturday and Sunday at 00:00, UTC'],
    ['15 6 * * sun', 'Every Sunday at 06:15, UTC'],
    ['0 12 * * 7', 'Every Sunday at 12:00, UTC'],
    ['* * * * *', 'Every minute, UTC'],
    ['*/1 * * * *', 'Every minute, UTC'],
    ['5 */1 * * *', 'Every hour at :05, UTC'],
    ['*/15 * * * *', 'Every 15 minutes, UTC'],
    ['5 * * * *', 'Every hour at :05, UTC'],
    ['0 */6 * * *', 'Every 6 hours at :00, UTC'],
    ['0 9 1 * *', 'On the 1. of the month at 09:00, UTC'],
    ['0 9 1 jan,jul *', 'On the 1. of the month in January and July at 09:00, UTC'],
    ['0 9 1 * 1', 'By cron 0 9 1 * 1, UTC'],
    ['0-30/7 9 * * *', 'By cron 0-30/7 9 * * *, UTC'],
  ])('%p is %p', (schedule, told) => {
    expect(words(schedule)).toBe(told);
  });

  test('names the zone of its clock', () => {
    expect(words('0 9 * * *', 'Europe/Berlin')).toBe('Every day at 09:00, Europe/Berlin');
  });

  test('often, on some days only', () => {
    expect(words('*/10 * * * 1-5')).toBe('Every 10 minutes, every weekday, UTC');
  });

  test('seconds are told in the two largest units', () => {
    expect([1, 90, 3600, 90_061].map(secondsInWords)).toEqual([
      '1 second',
      '1 minute 30 seconds',
      '1 hour',
      '1 day 1 hour',
    ]);
  });
});
