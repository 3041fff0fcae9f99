import { Cron } from 'croner';
import type { Content } from '../content.js';
import { nextOnWall } from './wall-clock.js';
import { zoneOf } from './zones.js';

/** When a task fires: once, or at every slot of a cron expression in a time zone. */
export type Schedule =
  | { readonly kind: 'once'; readonly at: number }
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string };

/** A schedule as a run's request holds it. */
export interface ScheduleRequest {
  /** As it was given. */
  readonly given: number | string;
  readonly timezone?: string;
  readonly schedule: Schedule;
  /** Its first slot, in ms since 1970. */
  readonly next_at: number;
  readonly message: Content;
}

/** A schedule that cannot be carried out; the message says what the field must be. */
export class ScheduleRefused extends Error {
  override readonly name = 'ScheduleRefused';
  constructor(
    message: string,
    readonly field: 'schedule' | 'timezone' = 'schedule',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const MAX_SECONDS = 31_536_000;
/** No schedule that means anything is longer. */
const MAX_LENGTH = 512;

/**
 * Reads a schedule as a request gives it: whole seconds from `now`, a date (ISO 8601; without an offset it is UTC), or a
 * cron expression of five fields (minute, hour, day of month, month, weekday; both days given: either matches).
 * @throws ScheduleRefused
 */
export function parseSchedule(given: number | string, timezone: string | undefined, now: number): Schedule {
  if (timezone !== undefined) requireZone(timezone);
  const isCron = typeof given !== 'number' && !isDateLike(given);
  if (!isCron && timezone !== undefined)
    throw new ScheduleRefused('goes with a cron expression only: a date says its own offset', 'timezone');
  if (typeof given === 'number') return inSeconds(given, now);
  if (given.length > MAX_LENGTH) throw new ScheduleRefused(`must have at most ${MAX_LENGTH} characters`);
  if (!isCron) return atDate(given, now);
  return everySlot(given, timezone ?? 'UTC', now);
}

/** The first slot after `after`, in ms since 1970; null: there is none. */
export function nextSlot(schedule: Schedule, after: number): number | null {
  if (schedule.kind === 'once') return schedule.at > after ? schedule.at : null;
  const { expression } = schedule;
  const timezone = zoneOf(schedule.timezone);
  if (timezone === null) throw new ScheduleRefused(NO_ZONE, 'timezone');
  if (timezone === 'utc' || isHourly(expression))
    return cronOf(expression, timezone).nextRun(new Date(after))?.getTime() ?? null;
  const onWall = cronOf(expression, 'utc');
  return nextOnWall(timezone, after, (wall) => onWall.nextRun(new Date(wall))?.getTime() ?? null);
}

/** It goes by the hour, whatever the clocks say; one that names its hours goes by the wall clock. */
const isHourly = (expression: string): boolean => expression.split(' ')[1]?.includes('*') === true;

/**
 * The slots in (after, until], of which the newest `keep` are given; `count` says how many there are, up to MAX_COUNTED:
 * a task of every minute that was away for a year has more than anybody wants to know, or to wait for.
 */
export function slotsBetween(
  schedule: Schedule,
  after: number,
  until: number,
  keep: number,
): { readonly slots: readonly number[]; readonly count: number } {
  const slots = slotsAfter(schedule, after, until, MAX_COUNTED);
  if (slots.length < MAX_COUNTED) return { slots: slots.slice(-keep), count: slots.length };
  return { slots: newestSlots(schedule, after, until, keep), count: MAX_COUNTED };
}

export const MAX_COUNTED = 200;
const HOUR_MS = 60 * 60 * 1000;

/** Looks back from the end, twice as far each time, until it has enough. */
function newestSlots(schedule: Schedule, after: number, until: number, keep: number): readonly number[] {
  for (let backMs = HOUR_MS; ; backMs *= 2) {
    const from = Math.max(after, until - backMs);
    const slots = slotsAfter(schedule, from, until, Infinity);
    if (slots.length >= keep || from === after) return slots.slice(-keep);
  }
}

function slotsAfter(schedule: Schedule, after: number, until: number, most: number): number[] {
  const slots: number[] = [];
  let slot = nextSlot(schedule, after);
  while (slot !== null && slot <= until && slots.length < most) {
    slots.push(slot);
    slot = nextSlot(schedule, slot);
  }
  return slots;
}

function inSeconds(seconds: number, now: number): Schedule {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) {
    throw new ScheduleRefused(`must be a whole number of seconds from 1 to ${MAX_SECONDS}`);
  }
  return { kind: 'once', at: now + seconds * 1000 };
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

const isDateLike = (text: string): boolean => /^\d{4}-/.test(text.trim());

function atDate(text: string, now: number): Schedule {
  const match = DATE.exec(text.trim());
  const [, day = '', time = '00:00', zone = 'Z'] = match ?? [];
  const at = match === null ? NaN : Date.parse(`${day}T${time}${withColon(zone.toUpperCase())}`);
  if (Number.isNaN(at) || !isDay(day)) {
    throw new ScheduleRefused('must be a date such as 2030-01-31T09:00:00Z');
  }
  if (at <= now) throw new ScheduleRefused('must be in the future');
  return { kind: 'once', at };
}

const withColon = (zone: string): string => zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');

/** Date.parse takes the 30th of February and means the 2nd of March. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Digits, names of months and weekdays, and what joins them: the library would take more than cron has. */
const FIELD =
  /^(?:[\d*,/-]|(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)(?![a-z]))+$/i;

function everySlot(text: string, timezone: string, now: number): Schedule {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) {
    throw new ScheduleRefused('must be seconds, a date, or a cron expression of five fields');
  }
  const schedule: Schedule = { kind: 'cron', expression: fields.join(' '), timezone };
  let first: number | null;
  try {
    first = nextSlot(schedule, now);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw new ScheduleRefused(`must be a cron expression that is valid: ${reason}`, 'schedule', {
      cause: error,
    });
  }
  if (first === null)
    throw new ScheduleRefused('must be a cron expression that comes round: this one never does');
  return schedule;
}

const NO_ZONE = 'must be an IANA time zone such as Europe/Berlin';

function requireZone(timezone: string): void {
  if (zoneOf(timezone) === null) throw new ScheduleRefused(NO_ZONE, 'timezone');
}

/** Parsing costs more than asking; the expressions in use are few, and one of the library's takes 100 KB. */
const parsed = new Map<string, Cron>();
const PARSED_KEPT = 200;

/** @param timezone as `zoneOf` spells it: the library, too, keeps what it makes for each spelling */
function cronOf(expression: string, timezone: string): Cron {
  const key = `${timezone} ${expression}`;
  const known = parsed.get(key);
  if (known) return known;
  // Without a zone's rules it is arithmetic, many times as fast.
  const place = timezone === 'utc' ? { utcOffset: 0 } : { timezone };
  const cron = new Cron(expression, { ...place, mode: '5-part' });
  if (parsed.size >= PARSED_KEPT) parsed.clear();
  parsed.set(key, cron);
  return cron;
}
