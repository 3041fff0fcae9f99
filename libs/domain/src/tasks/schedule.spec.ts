import { describe, expect, it, jest } from '@jest/globals';
import {
  MAX_COUNTED,
  MAX_SECONDS,
  ScheduleRefused,
  nextSlot,
  parseSchedule,
  slotsBetween,
} from './schedule.js';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 30);
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const first = (given: number | string, zone?: string, now = NOW): string | null =>
  iso(nextSlot(parseSchedule(given, zone, now), now));
const slots = (given: string, zone: string, from: string, to: string): (string | null)[] => {
  const [after, until] = [Date.parse(from) - 1, Date.parse(to)];
  return slotsBetween(parseSchedule(given, zone, after), after, until, 100).slots.map(iso);
};

describe('a schedule', () => {
  it.each([
    [1, '2026-01-15T12:00:31.000Z'],
    [MAX_SECONDS, '2027-01-15T12:00:30.000Z'],
    ['2026-01-15T12:00:31Z', '2026-01-15T12:00:31.000Z'],
    ['2026-01-16', '2026-01-16T00:00:00.000Z'],
    // Without an offset it is UTC.
    ['2026-01-16T09:00', '2026-01-16T09:00:00.000Z'],
    ['2026-01-16 09:00:00.25', '2026-01-16T09:00:00.250Z'],
    ['2026-01-16T09:00:00+02:00', '2026-01-16T07:00:00.000Z'],
    ['2026-01-16T09:00:00-0530', '2026-01-16T14:30:00.000Z'],
    ['* * * * *', '2026-01-15T12:01:00.000Z'],
    ['0 9 * * 1-5', '2026-01-16T09:00:00.000Z'],
    ['*/15 0,6 * * *', '2026-01-16T00:00:00.000Z'],
    ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
    ['0 9 * JAN MON', '2026-01-19T09:00:00.000Z'],
    ['  5   4  * * 7 ', '2026-01-18T04:05:00.000Z'],
  ])('%p comes first at %s', (given, at) => {
    expect(first(given)).toBe(at);
  });

  it('of a day of the month and a weekday fires on either', () => {
    const found = slots('0 0 13 * 5', 'UTC', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z');
    expect(found.map((slot) => slot?.slice(8, 10))).toEqual(['06', '13', '20', '27']);
    const other = slots('0 0 10 * 5', 'UTC', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z');
    expect(other.map((slot) => slot?.slice(8, 10))).toEqual(['06', '10', '13', '20', '27']);
  });

  it.each([
    [0],
    [-1],
    [1.5],
    [NaN],
    [Infinity],
    [MAX_SECONDS + 1],
    ['2026-01-15T12:00:30Z'],
    ['2020-01-01'],
    ['2026-02-30'],
    ['2026-13-01'],
    ['2026-1-1'],
    ['2027-01-01T25:00'],
    ['61 * * * *'],
    ['* 24 * * *'],
    ['* * 32 * *'],
    ['* * * 13 *'],
    ['* * * * 9'],
    ['0 0 30 2 *'],
    ['* * * *'],
    ['* * * * * *'],
    ['* * * * * * *'],
    ['*/0 * * * *'],
    ['5-1 * * * *'],
    ['@daily'],
    ['@every 1s'],
    ['0 0 L * *'],
    ['0 0 ? * *'],
    ['tomorrow'],
    [' '],
    ['1'.repeat(600)],
    ['* * * * *\n* * * * *'],
  ])('%p is refused', (given) => {
    expect(() => parseSchedule(given, undefined, NOW)).toThrow(ScheduleRefused);
  });

  it.each(['Nowhere/Town', '', 'Europe', '+02:00', '-0500', '../etc/passwd', 'Europe/Berlin '])(
    'in the zone %p is refused, naming the field',
    (zone) => {
      const parse = () => parseSchedule('* * * * *', zone, NOW);
      expect(parse).toThrow(expect.objectContaining({ field: 'timezone' }));
    },
  );
});

describe('a zone in other letters', () => {
  /** Each with other letters in capitals. */
  const spellings = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) =>
      name
        .split('')
        .map((letter, at) => ((n >> (at % 13)) & 1 ? letter.toUpperCase() : letter))
        .join(''),
    );

  it.each(['30 2 * * *', '30 */2 * * *'])('is the same zone, and nothing is kept for it: %p', (given) => {
    const berlin = first(given, 'Europe/Berlin');
    const made = jest.spyOn(Intl, 'DateTimeFormat');
    const names = spellings('europe/berlin', 5_000);
    expect(new Set(names.map((name) => first(given, name)))).toEqual(new Set([berlin]));
    const formats = made.mock.calls.length;
    made.mockRestore();
    expect(new Set(names).size).toBeGreaterThan(2_000);
    expect(formats).toBeLessThan(5);
  });

  it('is none where only Unicode takes the letters for the same', () => {
    // The Kelvin sign is a k in small letters.
    expect(first('0 0 * * *', 'Europe/Kiev')).not.toBeNull();
    expect(() => parseSchedule('0 0 * * *', 'Europe/\u212aiev', NOW)).toThrow(ScheduleRefused);
  });

  it('that there is not is refused each time, in whatever letters', () => {
    for (const name of spellings('nowhere/berlin', 200))
      expect(() => parseSchedule('0 0 * * *', name, NOW)).toThrow(ScheduleRefused);
  });
});

it.each([60, '2099-01-01', '2099-01-01T09:00:00', '2099-01-01T09:00:00+01:00'])(
  'a zone beside %p is refused: it would change nothing',
  (given) => {
    expect(() => parseSchedule(given, 'Europe/Berlin', NOW)).toThrow(
      expect.objectContaining({ field: 'timezone' }),
    );
  },
);

describe('a change of the clocks', () => {
  it('moves a slot in the gap, once', () => {
    const found = slots('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', '2026-03-30T12:00:00Z');
    expect(found).toHaveLength(3);
    expect(found[0]).toBe('2026-03-28T01:30:00.000Z');
    expect(found[2]).toBe('2026-03-30T00:30:00.000Z');
  });

  it('fires a slot in the overlap once', () => {
    const found = slots('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', '2026-10-26T12:00:00Z');
    expect(found).toHaveLength(3);
    expect(new Set(found.map((slot) => slot?.slice(0, 10))).size).toBe(3);
  });

  const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
  const MORE = ['America/St_Johns', 'Africa/Casablanca', 'Pacific/Apia', 'America/Sao_Paulo', 'Asia/Tehran'];
  it.each([...ZONES, ...MORE])('in %s a slot a day fires once a day for three years', (zone) => {
    const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    for (const given of ['0 0 * * *', '30 1 * * *', '15 2 * * *', '45 23 * * *']) {
      const schedule = parseSchedule(given, zone, NOW);
      let days = 0;
      let last = NOW;
      for (let month = 1; month <= 36; month += 1) {
        const until = Date.UTC(2026, month, 1);
        const found = slotsBetween(schedule, last, until, 40).slots;
        const names = found.map((slot) => dayIn.format(slot));
        expect(new Set(names).size).toBe(names.length);
        expect(found).toEqual(found.toSorted((a, b) => a - b));
        days += names.length;
        last = until;
      }
      expect(Math.abs(days - Math.round((last - NOW) / 86_400_000))).toBeLessThanOrEqual(1);
    }
  });
});

describe('the slots of a long absence', () => {
  it('are counted to a bound, and the newest are named', () => {
    const schedule = parseSchedule('* * * * *', undefined, NOW);
    const until = NOW + 30 * 86_400_000;
    const { slots, count } = slotsBetween(schedule, NOW, until, 100);
    expect(slots).toHaveLength(100);
    expect(count).toBe(MAX_COUNTED);
    expect(iso(slots.at(-1) ?? null)).toBe('2026-02-14T12:00:00.000Z');
  });
});
