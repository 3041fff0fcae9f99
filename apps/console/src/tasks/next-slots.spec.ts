import { describe, expect, test } from '@jest/globals';
import { nextSlot, parseSchedule } from '#domain';
import { nextSlots } from './next-slots.js';

/** What the service fires at. */
function fired(expression: string, timezone: string, after: number, count: number): readonly number[] {
  const schedule = parseSchedule(expression, timezone, after);
  const slots: number[] = [];
  for (let at: number | null = after; slots.length < count; slots.push(at)) {
    at = nextSlot(schedule, at);
    if (at === null) break;
  }
  return slots;
}

describe('the next slots of a task', () => {
  const expressions = [
    '0 9 * * 1-5',
    '*/15 * * * *',
    '30 2 * * *',
    '0 0 1 * *',
    '5 */6 * * *',
    '0 12 29 2 *',
  ];
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
  const moments = [
    '2026-01-01T00:00:00Z',
    '2026-03-28T00:00:00Z',
    '2026-10-24T00:00:00Z',
    '2026-11-01T04:30:00Z',
  ];

  test.each(expressions.flatMap((expression) => zones.map((zone) => [expression, zone] as const)))(
    '%s in %s are those that the service fires at',
    (expression, zone) => {
      for (const moment of moments) {
        const after = Date.parse(moment);
        expect([moment, ...nextSlots(expression, zone, after, 5)]).toEqual([
          moment,
          ...fired(expression, zone, after, 5),
        ]);
      }
    },
  );

  test('are none where the expression, or the zone, is not known', () => {
    expect(nextSlots('nonsense', 'UTC', 0, 5)).toEqual([]);
    expect(nextSlots('0 9 * * *', 'Mars/Olympus', 0, 5)).toEqual([]);
  });
});
