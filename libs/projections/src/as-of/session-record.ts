import {
  type PicoDollars,
  type RecordedSessionEvent,
  type SessionId,
  type SessionMoment,
  type SharedPart,
  formatDollars,
} from '#domain/browser';
import type { RunStatus } from './run-records.js';
import { SessionFold, type SessionRecord, type TitleSource } from './session-fold.js';

/** What lists tell of a session, its title where it lies. */
export interface SessionSummary {
  readonly session: SessionId;
  /** null: there is no title. */
  readonly titleFrom: TitleSource | null;
  /** As the history counts, but what it was forked from. */
  readonly messageCount: number;
  /** Of the run that was requested last. */
  readonly lastStatus: RunStatus | null;
  readonly cost: PicoDollars;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly forkedFrom: SessionMoment | null;
  readonly inherits: boolean;
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
  /** null: it is no fork. */
  readonly forked_from: { readonly session: SessionId; readonly at: string } | null;
}

/** Events after which what the fold has found is taken from it. */
const TAKEN_AFTER = 256;

/** Folds a session's events, from its first on, into what lists tell of it. Holds no message but the first. */
export class SessionRecordFold {
  private readonly fold: SessionFold;
  private untaken = 0;
  private record: SessionRecord | null = null;
  private titleFrom: TitleSource | null = null;

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
    const { session, lastStatus, cost, createdAt, forkedFrom, inherits } = record;
    const messageCount = countOf(record);
    return { session, titleFrom, messageCount, lastStatus, cost, createdAt, forkedFrom, inherits };
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

/** What a fork made here has of the session. */
export function sharedPart({ messageCount: messages, titleFrom, inherits }: SessionSummary): SharedPart {
  return {
    messages,
    ...(titleFrom === null || titleFrom.at < 0 ? {} : { title_at: titleFrom.at }),
    ...(inherits ? { goes_on: true } : {}),
  };
}

/** What stands in the history of a fork before its own part. */
export interface Inherited {
  readonly messages: number;
  /** As it was called, or of what it has of others; null: it has the title of its own part. */
  readonly title: string | null;
}

export const NOTHING_INHERITED: Inherited = { messages: 0, title: null };

export const viewOfSession = (record: SessionRecord, inherited: Inherited): SessionView =>
  sessionView({ ...record, titleFrom: null, messageCount: countOf(record) }, record.title, inherited);

export const sessionView = (
  summary: SessionSummary,
  ownTitle: string | null,
  { messages, title }: Inherited,
): SessionView => ({
  session: summary.session,
  title: title ?? ownTitle,
  message_count: summary.messageCount + messages,
  last_status: summary.lastStatus,
  cost: formatDollars(summary.cost),
  created_at: new Date(summary.createdAt).toISOString(),
  forked_from: momentView(summary.forkedFrom),
});

const momentView = (moment: SessionMoment | null): SessionView['forked_from'] =>
  moment && { session: moment.session, at: String(moment.at) };
