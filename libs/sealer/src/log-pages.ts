import type { Position } from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';

/** Reads the log's events with their stored form, as many at a time as are wanted. */
export class LogPages {
  private readonly pages: AsyncIterator<{ readonly events: readonly RecordedEvent[] }>;
  private waiting: readonly RecordedEvent[] = [];

  constructor(log: EventLog, after: Position) {
    this.pages = log.readAll({ after, isRaw: 'proofs' })[Symbol.asyncIterator]();
  }

  /** The next ones, in order: at most so many, none at the end of the log as it is. @throws LogUnavailable */
  async take(limit: number): Promise<readonly RecordedEvent[]> {
    while (this.waiting.length === 0) {
      const page = await this.pages.next();
      if (page.done === true) return [];
      this.waiting = page.value.events;
    }
    const taken = this.waiting.slice(0, limit);
    this.waiting = this.waiting.slice(limit);
    return taken;
  }

  async close(): Promise<void> {
    await this.pages.return?.();
  }
}
