const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** What a schedule is to be told with. */
export interface ToldSchedule {
  /** As the request gave it: seconds, a date, or a cron expression of five fields. */
  readonly schedule: number | string;
  readonly timezone: string;
}

export const isCron = ({ schedule }: Pick<ToldSchedule, 'schedule'>): boolean =>
  typeof schedule === 'string' && !/^\s*\d{4}-/.test(schedule);

/** A schedule in words: `Every weekday at 09:00, Europe/Berlin`; a cron expression that has none stands as it is. */
export function scheduleInWords({ schedule, timezone }: ToldSchedule): string {
  if (typeof schedule === 'number') return `Once, ${secondsInWords(schedule)} after it was asked for`;
  if (!isCron({ schedule })) return `Once, at ${schedule.trim().replace('T', ' ').replace(/Z$/i, ' UTC')}`;
  const words = cronInWords(schedule);
  return words === null ? `By cron ${schedule.trim()}, ${timezone}` : `${words}, ${timezone}`;
}

const SPANS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

export function secondsInWords(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, name] of SPANS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(counted(count, name));
  }
  return parts.slice(0, 2).join(' ') || '0 seconds';
}

const counted = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;

/** null: these words cannot say it. */
function cronInWords(text: string): string | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const time = timesInWords(minute, hour);
  const days = daysInWords(day, month, weekday);
  if (time === null || days === null) return null;
  if (time.isOften)
    return days === '' ? time.words : `${time.words}, ${days.toLowerCase().replace(/^every day/, '')}`;
  return `${days === '' ? 'Every day' : days} ${time.words}`;
}

interface Times {
  readonly words: string;
  /** Several times an hour, or each hour: it stands before the days. */
  readonly isOften: boolean;
}

function timesInWords(minute: string, hour: string): Times | null {
  const often = (words: string): Times => ({ words, isOften: true });
  const [everyMinutes, everyHours] = [stepOf(minute), stepOf(hour)];
  if (hour === '*') {
    if (minute === '*' || everyMinutes === 1) return often('Every minute');
    if (everyMinutes !== null) return often(`Every ${counted(everyMinutes, 'minute')}`);
    const at = numbersOf(minute);
    return at === null ? null : often(`Every hour at ${joined(at.map((m) => `:${two(m)}`))}`);
  }
  const minutes = numbersOf(minute);
  if (minutes === null) return null;
  if (everyHours !== null)
    return often(
      `Every ${everyHours === 1 ? 'hour' : counted(everyHours, 'hour')} at ${joined(minutes.map((m) => `:${two(m)}`))}`,
    );
  const hours = numbersOf(hour);
  if (hours === null || hours.length * minutes.length > 6) return null;
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`));
  return { words: `at ${joined(times)}`, isOften: false };
}

/** Empty: every day. */
function daysInWords(day: string, month: string, weekday: string): string | null {
  const isAnyDay = day === '*' && weekday === '*';
  const months = month === '*' ? '' : inMonths(month);
  if (months === null) return null;
  if (isAnyDay) return months === '' ? '' : `Every day ${months}`;
  // Both given: either matches, which no short sentence says.
  if (day !== '*' && weekday !== '*') return null;
  const days = weekday === '*' ? onDates(day) : onWeekdays(weekday);
  if (days === null) return null;
  return months === '' ? days : `${days} ${months}`;
}

function inMonths(field: string): string | null {
  const numbers = numbersOf(named(field, MONTHS, 1));
  return numbers === null ? null : `in ${joined(numbers.map((n) => MONTHS[n - 1] ?? ''))}`;
}

function onDates(field: string): string | null {
  const numbers = numbersOf(field);
  return numbers === null ? null : `On the ${joined(numbers.map((n) => `${n}.`))} of the month`;
}

function onWeekdays(field: string): string | null {
  const found = numbersOf(named(field, DAYS, 0));
  if (found === null) return null;
  const numbers = [...new Set(found.map((n) => n % 7))].sort((a, b) => a - b);
  const key = numbers.join('');
  if (key === '12345') return 'Every weekday';
  if (key === '06') return 'Every Saturday and Sunday';
  if (key === '0123456') return '';
  return `Every ${joined(numbers.map((n) => DAYS[n] ?? ''))}`;
}

const two = (n: number): string => String(n).padStart(2, '0');
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** Names of months and weekdays as numbers, the first of them being `from`. */
const named = (field: string, names: readonly string[], from: number): string =>
  field.replace(/[a-z]{3}/gi, (name) => {
    const at = names.findIndex((full) => full.toLowerCase().startsWith(name.toLowerCase()));
    return at < 0 ? name : String(at + from);
  });

const stepOf = (field: string): number | null => {
  const step = /^\*\/(\d{1,3})$/.exec(field)?.[1];
  return step === undefined ? null : Number(step);
};

/** `1,3` and `1-5` as numbers; null: anything else. */
function numbersOf(field: string): readonly number[] | null {
  const numbers: number[] = [];
  for (const part of field.split(',')) {
    const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    if (match === null) return null;
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (to < from) return null;
    for (let n = from; n <= to; n++) numbers.push(n);
  }
  return numbers;
}
