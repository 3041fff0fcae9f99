import { parseDollars } from '#domain/browser';
import { type UsageItem, shareOf } from './sums.js';

const DAY_MS = 86_400_000;
/** Bars that are still told apart at 320 px. */
export const MOST_DAYS = 92;

/** A day's bar. */
export interface DayBar {
  /** `2026-11-26`, UTC. */
  readonly day: string;
  readonly cost: string;
  readonly runs: number;
  /** Of the highest, from 0 to 1. */
  readonly height: number;
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day after, to end a filter with: `to` is not part of what it narrows to. */
export const dayAfter = (day: string): string => dayOf(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

/**
 * One bar for each day of `from` until before `to`, also where nothing was spent; of a longer time the newest MOST_DAYS.
 * @param items of `GET /usage?group_by=day`
 */
export function barsOf(items: readonly UsageItem[], from: number, to: number): readonly DayBar[] {
  const known = new Map(items.map((item) => [item.day ?? '', item]));
  const last = Math.floor((to - 1) / DAY_MS);
  const first = Math.max(Math.floor(from / DAY_MS), last - MOST_DAYS + 1);
  const days: { readonly day: string; readonly cost: string; readonly runs: number }[] = [];
  for (let n = first; n <= last; n++) {
    const day = dayOf(n * DAY_MS);
    const { cost = '0', runs = 0 } = known.get(day) ?? {};
    days.push({ day, cost, runs });
  }
  const highest = days.reduce(
    (most, { cost }) => (parseDollars(cost) > parseDollars(most) ? cost : most),
    '0',
  );
  return days.map((day) => ({ ...day, height: shareOf(day.cost, highest) }));
}

/** What a page asks for where its URL says nothing: thirty days, today included. */
export function lastDays(now: number, days = 30): { readonly from: string; readonly to: string } {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayAfter(dayOf(now)) };
}
