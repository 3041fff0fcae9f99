import { EventFold } from './event-fold.js';
import type { ExportEvent } from './export-lines.js';
import { type FailureCode, type Finding, Findings, type WarningCode } from './findings.js';

/**
 * The checks of a session's events alone, as they come: their order, chain, runs, and the commitments of the texts that are
 * there. For whoever has the events and no file.
 */
export class StreamCheck {
  private readonly failures = new Findings<FailureCode>();
  private readonly fold: EventFold;

  constructor(session: string) {
    // What stands in a file's header is held against its end, which does not come here.
    const unknown = { events: 0, sealed: 0, erased: false, disclosed: 'all', origin: '', keys: [] };
    const header = { stream: `session-${session}`, session, ...unknown };
    // Files do not come along.
    this.fold = new EventFold(header, [], this.failures, new Findings<WarningCode>());
  }

  /** How many events were checked. */
  get count(): number {
    return this.fold.count;
  }

  /** The first thing that is wrong; null: nothing is. */
  get failure(): Finding<FailureCode> | null {
    return this.failures.list[0] ?? null;
  }

  push(event: ExportEvent): void {
    this.fold.push(event);
  }
}
