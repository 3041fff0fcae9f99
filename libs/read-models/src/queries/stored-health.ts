import type { EventLog, Position, StoredProgress } from '#event-log';
import type { Clock } from '#platform';

/** The longest that whoever projects may take; a new one is found within the time of a take-over. */
const STANDSTILL_MS = 30_000;

/** Health of the projection for a process that does not project itself: whether the stored checkpoint moves. */
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
