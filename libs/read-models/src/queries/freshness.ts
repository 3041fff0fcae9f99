import type { EventLog, Follower } from '#event-log';
import type { Clock } from '#platform';

/** How long a query waits for the projection before it answers with what is there. */
const PATIENCE_MS = 2_000;

/** A query reflects every command that this process answered before it. */
export class Freshness {
  constructor(
    private readonly log: EventLog,
    private readonly follower: Follower,
    private readonly clock: Clock,
    private readonly isAvailable: () => boolean,
  ) {}

  /** Resolves when the projection has passed everything that is on the log now; in any case after 2 s. */
  async caughtUp(): Promise<void> {
    // The query itself then says what is wrong.
    if (!this.isAvailable()) return;
    const deadline = this.clock.deadline(PATIENCE_MS);
    try {
      await this.follower.reached(await this.log.head(), deadline.signal);
    } catch {
      // Late, stopped, or the log does not answer: what is there is still worth reading.
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}
