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
/** A receiver may ask for that much patience at most. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/**
 * How long to wait after the n-th attempt (from 1) failed; null: there is no other.
 * @param jitter in [0, 1)
 * @param retryAfterMs what the receiver asked for; it replaces the wait
 */
export function waitAfterAttempt(n: number, jitter: number, retryAfterMs: number | null): number | null {
  const wait = WAITS_MS[n - 1];
  if (wait === undefined) return null;
  if (retryAfterMs !== null) return Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * jitter));
}

/**
 * Milliseconds that a `Retry-After` asks for: seconds or a date (RFC 9110, 10.2.3). null: it asks for no wait. So does 0,
 * which caches put into their errors, and a date that has passed, by a clock that is slow: all attempts at once are no
 * retry, and the run's deliveries would end with them.
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : msUntil(text, now);
  return ms > 0 ? ms : null;
}

/** NaN: it is no date. */
const msUntil = (text: string, now: number): number =>
  /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) - now : NaN;
