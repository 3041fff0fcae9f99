import { day, time } from '../parts/format.js';
import type { KeyView } from './key.js';

const HOUR_MS = 3_600_000;

export interface LastUsed {
  readonly words: string;
  /** The hour in which it was, in ms since 1970: more is not known. null: never. */
  readonly within: { readonly from: number; readonly until: number } | null;
}

/**
 * When a key was last used, as far as that is known: uses are kept to the hour, and none was before the key was made.
 * @param utc whether times are told in UTC
 */
export function lastUsed(
  { last_used_at: at, created_at: created }: Pick<KeyView, 'last_used_at' | 'created_at'>,
  now: number,
  utc: boolean,
): LastUsed {
  if (at === null) return { words: 'never', within: null };
  const hour = Date.parse(at);
  const until = hour + HOUR_MS;
  const within = { from: Math.min(Math.max(hour, Date.parse(created)), until), until };
  if (now < until) return { words: 'this hour', within };
  if (day(within.from, utc) !== day(now, utc)) return { words: day(within.from, utc), within };
  const [from, to] = [within.from, until].map((ms) => time(ms, utc).slice(0, 5));
  return { words: `${from} to ${to}`, within };
}
