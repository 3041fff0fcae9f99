import { Clock } from '#platform';

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** Time that passes only when the test says so. Owns the timers; what is due at one time fires in the order it was set. */
export class ManualClock extends Clock {
  private timers: Timer[] = [];
  private watchers: (() => void)[] = [];

  constructor(private ms = 1_000_000) {
    super();
  }

  override now(): number {
    return this.ms;
  }

  override timer(ms: number, fire: () => void): () => void {
    const timer: Timer = { due: this.ms + ms, fire };
    this.timers.push(timer);
    for (const wake of this.watchers.splice(0)) wake();
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  }

  /** Real: it is order, not time. */
  override soon(fire: () => void): void {
    setImmediate(fire);
  }

  /** In how many ms each timer is due, the next first. */
  get pending(): number[] {
    return this.timers.map((t) => t.due - this.ms).sort((a, b) => a - b);
  }

  advance(ms: number): void {
    const until = this.ms + ms;
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.due - b.due)[0];
      if (next === undefined || next.due > until) break;
      this.timers = this.timers.filter((t) => t !== next);
      this.ms = Math.max(this.ms, next.due);
      next.fire();
    }
    this.ms = until;
  }

  /** Resolves with the ms of the first timer that is due within so many, as soon as there is one. */
  async timerWithin(ms: number): Promise<number> {
    for (;;) {
      const [next] = this.pending;
      if (next !== undefined && next <= ms) return next;
      await new Promise<void>((resolve) => this.watchers.push(resolve));
    }
  }

  /** Waits for a timer that is due within so many ms, and lets time pass to it. Returns what was waited for. */
  async pass(withinMs: number): Promise<number> {
    const ms = await this.timerWithin(withinMs);
    this.advance(ms);
    return ms;
  }
}
