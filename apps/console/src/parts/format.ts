import { withoutEnd } from './without-end.js';

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

/** `1204` as "1,204". */
export const count = (n: number): string => GROUPED.format(n);

/** US dollars, a decimal, to four significant digits and at least two places: "0.01470" as "$0.0147", "41.07" as "$41.07". */
export function money(decimal: string): string {
  const amount = Number(decimal);
  if (!Number.isFinite(amount)) return decimal;
  if (amount === 0) return '$0';
  const sign = amount < 0 ? '-' : '';
  const size = Math.abs(amount);
  if (size >= 1000) return `${sign}$${GROUPED.format(Math.round(size))}`;
  const places = Math.min(20, Math.max(0, 3 - Math.floor(Math.log10(size))));
  const [whole = '0', rest = ''] = size.toFixed(places).split('.');
  const kept = withoutEnd(rest, '0').padEnd(2, '0');
  return `${sign}$${GROUPED.format(Number(whole))}.${kept}`;
}

const S = 1000;
const MIN = 60 * S;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

/** Milliseconds as "38 ms", "0.41 s", "14.2 s", "5 min 12 s", "2 h 5 min", "3 d 4 h". */
export function duration(ms: number): string {
  if (ms < 99.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 995) return `${(ms / S).toFixed(2)} s`;
  if (ms < MIN - 50) return `${(ms / S).toFixed(1)} s`;
  const parts = (large: number, small: number, words: readonly [string, string]): string => {
    const rounded = Math.round(ms / small) * small;
    const rest = (rounded % large) / small;
    return `${Math.floor(rounded / large)} ${words[0]}${rest === 0 ? '' : ` ${rest} ${words[1]}`}`;
  };
  if (ms < HOUR - S / 2) return parts(MIN, S, ['min', 's']);
  if (ms < DAY - MIN / 2) return parts(HOUR, MIN, ['h', 'min']);
  return parts(DAY, HOUR, ['d', 'h']);
}

const two = (n: number): string => String(n).padStart(2, '0');

/** Milliseconds since 1970 as "14:08:19.207", local or in UTC. */
export function time(ms: number, utc: boolean): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return '–';
  if (utc) return at.toISOString().slice(11, 23);
  const thousandths = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${thousandths}`;
}

/** Milliseconds since 1970 as "2026-11-26", local or in UTC. */
export function day(ms: number, utc: boolean): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return '–';
  if (utc) return at.toISOString().slice(0, 10);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Milliseconds since 1970 as "2026-11-26 14:08:19", local or in UTC. */
export const dayAndTime = (ms: number, utc: boolean): string =>
  `${day(ms, utc)} ${time(ms, utc).slice(0, 8)}`;

/** How long ago: "now", "12 s ago", "5 min ago", "3 h ago", "4 d ago". */
export function age(ms: number, now: number): string {
  const past = now - ms;
  if (past < S) return 'now';
  if (past < MIN) return `${Math.floor(past / S)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MIN)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  return `${Math.floor(past / DAY)} d ago`;
}

/** Bytes as "38 B", "2.1 KB", "1.0 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} KB`;
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/**
 * Milliseconds from one time to another, each as the service writes it or since 1970. null: one of them is not known. Other
 * clocks than the browser's wrote them: never less than nothing.
 */
export const msBetween = (from: string | null, to: string | number | null): number | null =>
  from === null || to === null
    ? null
    : Math.max(0, (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from));
