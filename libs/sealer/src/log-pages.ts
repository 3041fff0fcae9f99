import type { Position } from '#domain';
import type { EventHash, EventLog } from '#event-log';

/** Reads the hashes of the log's events, as many at a time as are wanted. */
export class LogPages {
  private readonly pages: AsyncIterator<{ readonly events: readonly EventHash[] }>;
  private waiting: readonly EventHash[] = [];

  constructor(log: EventLog, after: Position) {
    this.pages = log.readHashes(after)[Symbol.asyncIterator]();
  }

  /** The next ones, in order: at most so many, none at the end of the log as it is. @throws LogUnavailable */
  async take(limit: number): Promise<readonly EventHash[]> {
    const taken: EventHash[] = [];
    while (taken.length < limit) {
      if (this.waiting.length === 0) {
        const page = await this.pages.next();
        if (page.done === true) break;
        this.waiting = page.value.events;
      }
      const more = this.waiting.slice(0, limit - taken.length);
      this.waiting = this.waiting.slice(more.length);
      taken.push(...more);
    }
    return taken;
  }

  async close(): Promise<void> {
    await this.pages.return?.();
  }
}
