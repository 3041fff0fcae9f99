import type { Dice } from './dice.js';

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A cron expression, and its own reading of it: tables of what each field takes. */
export class OracleCron {
  private readonly minutes: ReadonlySet<number>;
  private readonly hours: ReadonlySet<number>;
  private readonly days: ReadonlySet<number>;
  private readonly months: ReadonlySet<number>;
  private readonly weekdays: ReadonlySet<number>;
  private readonly isDayFree: boolean;
  private readonly isWeekdayFree: boolean;
  /** It follows the wall clock; with a `*` there it goes by the hour, whatever the clocks say. */
  readonly hasFixedHours: boolean;

  constructor(readonly text: string) {
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.split(' ');
    this.minutes = read(minute, 0, 59);
    this.hours = read(hour, 0, 23);
    this.days = read(day, 1, 31);
    this.months = read(month, 1, 12);
    this.weekdays = new Set([...read(weekday, 0, 7)].map((d) => d % 7));
    this.isDayFree = day === '*';
    this.isWeekdayFree = weekday === '*';
    this.hasFixedHours = !hour.includes('*');
  }

  /** @param wall a moment whose UTC fields are the wall clock's */
  matches(wall: number): boolean {
    const minutes = Math.floor(wall / 60_000);
    if (!this.minutes.has(((minutes % 60) + 60) % 60)) return false;
    const date = new Date(wall);
    return this.hours.has(date.getUTCHours()) && this.isDay(date);
  }

  /** Of two days that are given either is enough. */
  private isDay(date: Date): boolean {
    if (!this.months.has(date.getUTCMonth() + 1)) return false;
    const isDay = this.days.has(date.getUTCDate());
    const isWeekday = this.weekdays.has(date.getUTCDay());
    return this.isDayFree || this.isWeekdayFree ? isDay && isWeekday : isDay || isWeekday;
  }
}

function read(field: string, least: number, most: number): Set<number> {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to] = range.split('-');
    const first = range === '*' ? least : numberOf(from);
    const last = range === '*' || (to === undefined && part.includes('/')) ? most : numberOf(to ?? from);
    for (let n = first; n <= last; n += Number(step)) found.add(n);
  }
  return found;
}

const numberOf = (text: string): number => (NAMES.includes(text) ? NAMES.indexOf(text) : Number(text));

/** Expressions of all kinds, many of them near the hours at which clocks are set. */
export function drawCron(dice: Dice): string {
  const minute = dice.pick(['0', '30', '59', '*/7', '*/30', '15,45', '5-55/25', `${dice.below(60)}`, '*']);
  const hour = dice.pick([
    '*',
    '0',
    '1',
    '2',
    '3',
    '23',
    '*/2',
    '1-3',
    '0,2,4',
    '22-23',
    `${dice.below(24)}`,
  ]);
  const day = dice.pick(['*', '*', '*', '*', '1', '29', '31', '28-31', `${1 + dice.below(28)}`, '*/5']);
  const month = dice.pick(['*', '*', '*', '*', '2', '3,10', '4-11', `${1 + dice.below(12)}`]);
  const weekday = dice.pick(['*', '*', '*', '*', '0', '7', 'sun', '1-5', 'mon,fri', `${dice.below(7)}`]);
  return `${minute} ${hour} ${day} ${month} ${weekday}`;
}
