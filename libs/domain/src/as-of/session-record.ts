import type { Content } from '../content.js';
import type { Revision, SessionId } from '../ids.js';
import { type PicoDollars, formatDollars } from '../money.js';
import type { RecordedSessionEvent } from '../session-events.js';
import type { RunStatus } from './run-records.js';
import { SessionFold, type SessionRecord } from './session-fold.js';

/** What lists tell of a session, its title where it lies. */
export interface SessionSummary {
  readonly session: SessionId;
  /** The message whose beginning is the title; a number: the revision of the `run_requested` that holds it; null: there is none. */
  readonly titleFrom: Content | Revision | null;
  /** As the history counts. */
  readonly messageCount: number;
  /** Of the run that was requested last. */
  readonly lastStatus: RunStatus | null;
  readonly cost: PicoDollars;
  /** ms since 1970 */
  readonly createdAt: number;
}

/** A session as it is shown. */
export interface SessionView {
  readonly session: SessionId;
  /** The beginning of its first message; null where the history is empty. */
  readonly title: string | null;
  readonly message_count: number;
  /** Of the run that was requested last. */
  readonly last_status: RunStatus | null;
  readonly cost: string;
  readonly created_at: string;
}

/** Events after which what the fold has found is taken from it. */
const TAKEN_AFTER = 256;

/** Folds a session's events, from its first on, into what lists tell of it. Holds no message but the first. */
export class SessionRecordFold {
  private readonly fold: SessionFold;
  private untaken = 0;
  private record: SessionRecord | null = null;
  private titleFrom: Content | Revision | null = null;

  constructor(session: SessionId) {
    this.fold = new SessionFold(session, null);
  }

  /** @throws StreamGap */
  push(event: RecordedSessionEvent): void {
    this.fold.push(event);
    this.untaken += 1;
    if (this.untaken === TAKEN_AFTER) this.take();
  }

  /** null: there was no event. */
  finish(): SessionSummary | null {
    this.take();
    const { record, titleFrom } = this;
    if (record === null) return null;
    const { session, lastStatus, cost, createdAt } = record;
    return { session, titleFrom, messageCount: countOf(record), lastStatus, cost, createdAt };
  }

  private take(): void {
    this.untaken = 0;
    const changes = this.fold.take();
    if (changes === null) return;
    this.record = changes.row;
    if (changes.titleFrom !== null) {
      this.titleFrom = changes.titleFrom;
      // It has one: what comes later does not count, until a clear.
      this.record.title = '';
    } else if (this.record.title === null) this.titleFrom = null;
  }
}

/** With the block that is being written. */
const countOf = ({ messageCount, hasOpenText }: SessionRecord): number =>
  messageCount + (hasOpenText ? 1 : 0);

export const viewOfSession = (record: SessionRecord): SessionView =>
  sessionView({ ...record, titleFrom: null, messageCount: countOf(record) }, record.title);

export const sessionView = (summary: SessionSummary, title: string | null): SessionView => ({
  session: summary.session,
  title,
  message_count: summary.messageCount,
  last_status: summary.lastStatus,
  cost: formatDollars(summary.cost),
  created_at: new Date(summary.createdAt).toISOString(),
});
