import { FairSemaphore } from '../fair-semaphore.js';
import { type Attempts, NoAttempts } from './attempts.js';

/** From this many process deaths on, the work is taken for their cause. */
const MAX_DEATHS = 3;
/** The whole capacity: weight of exclusive work. */
const ALL = 1_000_000;

export type Tried<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Not run: it was in progress in too many processes that died. */
  | { readonly kind: 'deadly'; readonly deaths: number };

/**
 * Runs work on untrusted input that may kill the process (endless loop, out of memory), and refuses it after
 * MAX_DEATHS deaths (a poison item).
 * 1. Work with a death on its count runs alone, so that other work in progress is not blamed for the next
 *    death.
 * 2. A thrown error is not a death.
 */
export class CountedWork {
  private readonly room = new FairSemaphore({ room: ALL });

  constructor(private readonly attempts: Attempts = new NoAttempts()) {}

  /**
   * @param key identifies the work; the same in every process that tries it
   * @param work must not call `run` itself, nor wait for other counted work
   * @throws what the work throws
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<Tried<T>> {
    const deaths = this.attempts.deaths(key);
    if (this.isDeadly(key)) return { kind: 'deadly', deaths };
    // Invariant 1.
    const leave = await this.room.take('', undefined, deaths === 0 ? 1 : ALL);
    try {
      await this.attempts.begin(key);
      return { kind: 'done', value: await work() };
    } finally {
      await this.attempts.end(key);
      leave();
    }
  }

  /** Whether `run` would refuse it. */
  isDeadly(key: string): boolean {
    return this.attempts.deaths(key) >= MAX_DEATHS;
  }

  /** Resets the count, once a refused item has been dealt with. */
  forget(key: string): Promise<void> {
    return this.attempts.end(key);
  }
}
