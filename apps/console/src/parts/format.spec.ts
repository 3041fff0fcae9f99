import { describe, expect, test } from '@jest/globals';
import { age, count, day, dayAndTime, duration, money, size, time } from './format.js';

const AT = Date.UTC(2026, 10, 26, 14, 8, 19, 207);

describe('figures', () => {
  test('are grouped', () => expect(count(1_234_567)).toBe('1,234,567'));

  test.each([
    ['0', '$0'],
    ['0.01470', '$0.0147'],
    ['0.000012346', '$0.00001235'],
    ['0.5', '$0.50'],
    ['8.93', '$8.93'],
    ['41.074', '$41.07'],
    ['123.4', '$123.40'],
    ['999.96', '$1,000.00'],
    ['12345.6', '$12,346'],
    ['-2.5', '-$2.50'],
    ['?', '?'],
  ])('%s US dollars are %s', (decimal, text) => expect(money(decimal)).toBe(text));

  test.each([
    [0, '0 ms'],
    [38.4, '38 ms'],
    [410, '0.41 s'],
    [999, '1.0 s'],
    [14_200, '14.2 s'],
    [59_980, '1 min'],
    [312_000, '5 min 12 s'],
    [3_599_900, '1 h'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('%d ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

  test.each([
    [12, '12 B'],
    [2100, '2.1 KB'],
    [1_000_000, '1.0 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text));
});

describe('times', () => {
  test('are of the clock, to the millisecond', () => {
    expect(time(AT, true)).toBe('14:08:19.207');
    expect(time(AT, false)).toMatch(/^\d\d:08:19\.207$/);
    expect(time(Number.NaN, true)).toBe('–');
  });

  test('have their day', () => {
    expect(day(AT, true)).toBe('2026-11-26');
    expect(dayAndTime(AT, true)).toBe('2026-11-26 14:08:19');
  });

  test.each([
    [200, 'now'],
    [12_000, '12 s ago'],
    [300_000, '5 min ago'],
    [10_800_000, '3 h ago'],
    [345_600_000, '4 d ago'],
  ])('%d ms ago are %s', (past, text) => expect(age(AT - past, AT)).toBe(text));
});
