import { type RetryPolicy, assertNever } from '#domain/browser';

const DEFAULT_DELAY_MS = 1000;

/** A year: later than any run lives, and still a time that a date can hold. */
const LONGEST_MS = 365 * 24 * 3600 * 1000;

/** How long a step waits after its attempt `attempt` (1, 2 …) failed; no jitter. */
export function backoffMs(policy: RetryPolicy, attempt: number): number {
  const delay = policy.initial_delay_ms ?? DEFAULT_DELAY_MS;
  return Math.min(waitOf(policy.backoff, delay, attempt), LONGEST_MS);
}

function waitOf(backoff: RetryPolicy['backoff'], delay: number, attempt: number): number {
  switch (backoff) {
    case 'none':
      return 0;
    case 'fixed':
      return delay;
    case 'linear':
      return attempt * delay;
    case 'exponential':
      // 0 · ∞ is no number.
      return delay === 0 ? 0 : delay * 2 ** (attempt - 1);
    default:
      return assertNever(backoff);
  }
}

export const maxAttemptsOf = (policy: RetryPolicy | undefined): number => policy?.max_attempts ?? 1;
