import { AnnalsRefused, AnnalsUnreachable, mayPass } from './errors.js';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/**
 * How long to try again. Owns the moment of the first failure since something last came, and the number of attempts since.
 * What went before that failure does not count: a quiet stream, a caller that takes its time, a computer that slept.
 */
export class Patience {
  private attempts = 0;
  private since: number | null = null;

  constructor(
    private readonly patienceMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Something came: it begins anew. */
  renew(): void {
    this.attempts = 0;
    this.since = null;
  }

  /**
   * Resolves when it is time for the next attempt.
   * @throws the cause where it does not pass; AnnalsUnreachable when patience is over; the signal's reason
   */
  async wait(cause: unknown, wishedMs: number | null = null): Promise<void> {
    this.signal?.throwIfAborted();
    if (cause !== null && !mayPass(cause)) throw cause;
    const asked = cause instanceof AnnalsRefused ? cause.retryAfterMs : wishedMs;
    // 0, as caches put it into their errors, is no wait: nobody is to be asked a thousand times a second.
    const waitMs = asked || backoff(this.attempts++);
    this.since ??= Date.now();
    if (Date.now() + waitMs - this.since > this.patienceMs) {
      if (cause instanceof AnnalsRefused) throw cause;
      throw new AnnalsUnreachable(`no answer for ${this.patienceMs} ms`, { cause });
    }
    await pause(waitMs, this.signal);
  }
}

/** Doubles with each attempt; by chance up to half shorter, so that not all clients come back at once. */
const backoff = (attempt: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (1 - Math.random() / 2);

/** @throws the signal's reason */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give);
      resolve();
    }, ms);
    signal?.addEventListener('abort', give, { once: true });
  });
}
