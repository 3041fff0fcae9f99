import { FairTurns } from '../fair-turns.js';
import { type Attempts, NoAttempts } from './attempts.js';

/** After so many processes it is the work's fault. */
const MAX_DEATHS = 3;
/** More than there ever is under way. */
const ALL = 1_000_000;

export type Tried<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** It was not done: so many processes ended during it that it is not tried again. */
  | { readonly kind: 'deadly'; readonly deaths: number };

/**
 * Work on what others have sent, which may end the process, e.g. for it computes for ever or takes all memory. Counts the
 * processes that ended during it.
 * 1. Work that is counted once is done with nothing else of it under way, so that what happened to be beside the one that
 *    ended the process is not taken for it.
 * 2. What throws has not ended the process.
 */
export class CountedWork {
  private readonly room = new FairTurns({ room: ALL });

  constructor(private readonly attempts: Attempts = new NoAttempts()) {}

  /**
   * @param key the same in every process that tries it
   * @param work must not do counted work in turn, nor wait for room or for others
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

  /** So many processes ended during it that it is not tried again. */
  isDeadly(key: string): boolean {
    return this.attempts.deaths(key) >= MAX_DEATHS;
  }

  /** It was found deadly, and that was dealt with: whoever asks for it again begins anew. */
  forget(key: string): Promise<void> {
    return this.attempts.end(key);
  }
}
