import { Problem } from '#domain';

/** Runs that may wait for room, for each that may be driven. */
const WAITING_PER_RUN = 4;
const RETRY_AFTER_S = 5;

/** Bounds the runs that are driven at the same time in this process. Who finds no room is called, in turn, when there is. */
export class Admission {
  private readonly taken = new Set<string>();
  private readonly waiters = new Map<string, () => void>();

  /** @param mayClaim whether this process may claim runs at all now: see Membership */
  constructor(
    private readonly maxRuns: number,
    private readonly mayClaim: () => boolean = () => true,
  ) {}

  get running(): number {
    return this.taken.size;
  }

  get waiting(): number {
    return this.waiters.size;
  }

  /** @throws Problem rate_limited where so many wait already that one more would wait for ever */
  requireRoom(): void {
    if (this.taken.size < this.maxRuns || this.waiters.size < this.maxRuns * WAITING_PER_RUN) return;
    throw new Problem('rate_limited', `${this.waiters.size} runs wait for room; try again later`, {
      retryAfterS: RETRY_AFTER_S,
    });
  }

  /** Takes a place for the run, if there is one. A run that has a place keeps it. */
  tryTake(run: string): boolean {
    if (this.taken.has(run)) return true;
    if (this.taken.size >= this.maxRuns || !this.mayClaim()) return false;
    this.taken.add(run);
    return true;
  }

  /** Takes a place, or has `wake` called once there may be one. */
  takeOrWait(run: string, wake: () => void): boolean {
    if (this.tryTake(run)) {
      this.waiters.delete(run);
      return true;
    }
    this.waiters.set(run, wake);
    return false;
  }

  release(run: string): void {
    this.waiters.delete(run);
    if (this.taken.delete(run)) this.wakeWaiters();
  }

  /** Claims are possible again: whoever waits is called. */
  reconsider(): void {
    this.wakeWaiters();
  }

  /** Whoever is woken may have nothing to drive any more: then the place is the next one's. */
  private wakeWaiters(): void {
    const inTurn = [...this.waiters];
    for (const [run, wake] of inTurn) {
      if (this.taken.size >= this.maxRuns || !this.mayClaim()) return;
      if (this.waiters.delete(run)) wake();
    }
  }
}
