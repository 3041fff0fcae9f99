import type { Clock } from '#platform';

const WINDOW_MS = 60_000;

export interface Allowance {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetS: number;
}

/**
 * Counts the requests of each name (a key's id, an address) in windows of a minute, each begun by a name's first request.
 * Owns one entry for each name of the last minutes; a new name over `maxNames` drops those whose window is over, then the
 * oldest.
 */
export class RateLimiter {
  private readonly windows = new Map<string, { count: number; endsAt: number }>();

  constructor(
    private readonly clock: Clock,
    readonly limit: number,
    private readonly maxNames = 50_000,
  ) {}

  /** Counts one request. */
  take(name: string): Allowance {
    const now = this.clock.now();
    let window = this.windows.get(name);
    // A clock that was set back must not lengthen a window.
    if (window === undefined || now >= window.endsAt || window.endsAt - now > WINDOW_MS) {
      window = this.open(name, now);
    }
    const isAllowed = window.count < this.limit;
    if (isAllowed) window.count++;
    return {
      isAllowed,
      remaining: this.limit - window.count,
      resetS: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    };
  }

  private open(name: string, now: number): { count: number; endsAt: number } {
    this.windows.delete(name);
    if (this.windows.size >= this.maxNames) this.makeRoom(now);
    const window = { count: 0, endsAt: now + WINDOW_MS };
    this.windows.set(name, window);
    return window;
  }

  private makeRoom(now: number): void {
    for (const [name, { endsAt }] of this.windows) {
      // Insertion order is the order of the ends: the first that is still open ends the sweep.
      if (endsAt > now && this.windows.size < this.maxNames) return;
      this.windows.delete(name);
    }
  }
}
