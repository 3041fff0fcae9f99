import type { EventLog, Position } from '#event-log';
import type { Clock } from '#platform';
import type { ReadModelStore } from '../projection/rows.js';

/** How long a query waits for the projection before it answers with what is there. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 25;

/** How far the projection is: the follower of this process knows it, another one's is read from the tables. */
export interface Progress {
  reached(position: Position, signal: AbortSignal): Promise<void>;
}

/** A query reflects every command that this process answered before it. */
export class Freshness {
  constructor(
    private readonly log: EventLog,
    private readonly progress: Progress,
    private readonly clock: Clock,
    private readonly isAvailable: () => boolean,
  ) {}

  /** Resolves when the projection has passed everything that is on the log now; in any case after 2 s. */
  async caughtUp(): Promise<void> {
    // The query itself then says what is wrong.
    if (!this.isAvailable()) return;
    const deadline = this.clock.deadline(PATIENCE_MS);
    try {
      await this.progress.reached(await this.log.head(), deadline.signal);
    } catch {
      // Late, stopped, or the log does not answer: what is there is still worth reading.
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}

/** For a process that does not project. */
export class StoredProgress implements Progress {
  constructor(
    private readonly store: ReadModelStore,
    private readonly clock: Clock,
  ) {}

  async reached(position: Position, signal: AbortSignal): Promise<void> {
    while ((await this.position()) < position) await this.clock.sleep(LOOK_MS, signal);
  }

  /** @throws ReadModelsUnavailable */
  async position(): Promise<Position> {
    return (await this.store.loadCheckpoint())?.position ?? 0;
  }
}

/** The longest that whoever projects may take; a new one is found within the time of a take-over. */
const STANDSTILL_MS = 30_000;

/** Whether anybody projects, as a process sees it that does not: looks whenever it is asked. */
export class StoredHealth {
  /** Where the log ended at some time, to be reached. */
  private goal: { readonly head: Position; readonly since: number } | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly progress: StoredProgress,
    private readonly clock: Clock,
  ) {}

  /** null: it goes on. @throws LogUnavailable, ReadModelsUnavailable */
  async problem(): Promise<string | null> {
    const now = this.clock.now();
    const position = await this.progress.position();
    if (this.goal === null || position >= this.goal.head)
      this.goal = { head: await this.log.head(), since: now };
    if (now - this.goal.since < STANDSTILL_MS || position >= this.goal.head) return null;
    return 'no replica projects: none has the role projector, or none can';
  }
}
