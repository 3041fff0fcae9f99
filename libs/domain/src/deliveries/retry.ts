const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Before the second attempt, the third … ten attempts in just under a day. */
const WAITS_MS: readonly number[] = [
  4 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  7 * HOUR,
  12 * HOUR,
];

export const MAX_ATTEMPTS = WAITS_MS.length + 1;
/** A wait is this much shorter or longer by chance, so that what failed together does not come back together. */
const JITTER = 0.2;
/**
 * A receiver may ask for that much patience. Caches put 0 into the errors that they make up, and clocks are slow: all
 * attempts at once would be none.
 */
const RETRY_AFTER_MS = { least: SECOND, most: 24 * HOUR } as const;

/**
 * How long to wait after the n-th attempt (from 1) failed; null: there is no other.
 * @param jitter in [0, 1)
 * @param retryAfterMs what the receiver asked for; it replaces the wait
 */
export function waitAfterAttempt(n: number, jitter: number, retryAfterMs: number | null): number | null {
  const wait = WAITS_MS[n - 1];
  if (wait === undefined) return null;
  const { least, most } = RETRY_AFTER_MS;
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, least), most);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * jitter));
}

/** Milliseconds that a `Retry-After` asks for: seconds or a date (RFC 9110, 10.2.3). null: it says nothing. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
