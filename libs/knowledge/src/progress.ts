import type { Position } from '#domain';
import type { EventLog, Follower } from '#event-log';
import type { Clock } from '#platform';
import type { KnowledgeRows } from './postgres/knowledge-rows.js';
import type { KnowledgeDatabase } from './ports.js';

/** How long a query waits for the rows before it answers with what is there. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 25;

/** A query reflects every command that this process answered before it. */
export class Progress {
  constructor(
    private readonly ports: {
      readonly log: EventLog;
      readonly clock: Clock;
      readonly database: KnowledgeDatabase;
      readonly rows: KnowledgeRows;
      /** null: another process writes the rows. */
      readonly follower: Follower | null;
    },
  ) {}

  /** Resolves when the rows show all that is on the log now; in any case after 2 s. */
  async caughtUp(): Promise<void> {
    const { log, clock, database } = this.ports;
    // The query itself then says what is wrong.
    if (!database.isOpen) return;
    const deadline = clock.deadline(PATIENCE_MS);
    try {
      await this.reached(await log.head(), deadline.signal);
    } catch {
      // Late, stopped, or the log does not answer: what is there is still worth reading.
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  private async reached(position: Position, signal: AbortSignal): Promise<void> {
    const { follower, rows, clock } = this.ports;
    if (follower !== null) return follower.reached(position, signal);
    while (((await rows.loadCheckpoint())?.position ?? 0) < position) await clock.sleep(LOOK_MS, signal);
  }
}
