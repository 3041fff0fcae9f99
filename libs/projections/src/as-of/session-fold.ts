import {
  type Content,
  type PicoDollars,
  type ProjectId,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
  type SessionMoment,
  forkOf,
} from '#domain/browser';
import { HistoryFold, type HistoryMessage, type HistorySink, type MessageType } from '../history.js';
import { type ListedRun, RunRecords, type RunStatus } from './run-records.js';

/** A session as lists tell of it. */
export interface SessionRecord {
  session: SessionId;
  project: ProjectId;
  title: string | null;
  /** ms since 1970 */
  createdAt: number;
  /** The run that was requested last, and its status. */
  lastRun: RunId | null;
  lastStatus: RunStatus | null;
  cost: PicoDollars;
  /** Messages that are complete. */
  messageCount: number;
  /** A block is being written that has text already: one message more. */
  hasOpenText: boolean;
  /** All messages that began up to this revision are complete. A fold may go on after it. */
  foldedTo: Revision;
  /** What follows `foldedTo` is hidden until a run starts, because the messages were cleared. */
  isHidden: boolean;
  /** null: it is no fork. */
  forkedFrom: SessionMoment | null;
  /** What it was forked from stands in its history: it is a fork, and was not cleared. */
  inherits: boolean;
}

/** Where the message stands whose beginning is the title. */
export interface TitleSource {
  /** Revision of the event that holds it; -1: nobody can tell which. */
  readonly at: Revision;
  /** Absent: it has to be read. */
  readonly message?: Content;
}

export interface MessageRecord {
  readonly session: SessionId;
  readonly revision: Revision;
  readonly type: MessageType;
  readonly pieces: readonly Content[];
}

/** A session's record with the runs that may still change and those that ended last. */
export interface StoredSession {
  readonly row: SessionRecord;
  readonly runs: readonly ListedRun[];
}

/** A run's message that has to be read from the log before it can be written. */
export interface WantedMessage {
  readonly session: SessionId;
  /** Where the message stands: at the run's `agent_started`. */
  readonly revision: Revision;
  /** Revision of the `run_requested` that holds it. */
  readonly requested: Revision;
}

/** What a session's events changed since the last take. */
export interface SessionChanges {
  readonly row: SessionRecord;
  readonly runs: readonly ListedRun[];
  readonly messages: readonly MessageRecord[];
  readonly wanted: readonly WantedMessage[];
  readonly clearedTo: number | null;
  /** Of the new title; null: it is as it was. */
  readonly titleFrom: TitleSource | null;
}

/** An event came that is not the next one. */
export class StreamGap extends Error {
  override readonly name = 'StreamGap';
}

/**
 * A session between its events and its rows. Owns the fold of its stream up to `seen`.
 * 1. Events are taken once and in order, without gaps; an older one changes nothing.
 * 2. A block is a message when it is closed, so the pieces of an open block change no row; but the first one does, which
 *    makes the history one message longer.
 * 3. `foldedTo` is the last revision after which a fold may start: no block is open there, and no run stands between its
 *    claim and its start.
 * 4. An event that throws has changed nothing.
 */
export class SessionFold {
  /** Revision of the last event that was taken. */
  seen = -1;
  private row: SessionRecord | null = null;
  private readonly runs = new RunRecords();
  private readonly fold: HistoryFold;
  private messages: MessageRecord[] = [];
  private wanted: WantedMessage[] = [];
  private clearedTo: number | null = null;
  private titleFrom: TitleSource | null = null;
  private isDirty = false;
  /** Revision of a first claim whose `agent_started` is yet to come. */
  private claimedAt: number | null = null;
  /** Of the block that was opened last. */
  private openType: 'agent_thinking' | 'agent_response' | null = null;
  /** The open block that `hasOpenText` tells of. */
  private textSince: number | null = null;

  /**
   * @param stored what the tables know
   * @param tail the events after the stored `foldedTo` that the tables know
   */
  constructor(
    readonly session: SessionId,
    stored: StoredSession | null,
    tail: readonly RecordedSessionEvent[] = [],
  ) {
    this.fold = new HistoryFold(this.sink(), { isHidden: stored?.row.isHidden ?? false });
    if (stored === null) return;
    this.row = stored.row;
    this.runs.load(stored.runs);
    this.seen = stored.row.foldedTo;
    this.resume(tail);
  }

  /** @throws StreamGap; whatever makes the event one that cannot be projected */
  push(event: RecordedSessionEvent): void {
    if (event.revision <= this.seen) return;
    if (event.revision !== this.seen + 1)
      throw new StreamGap(`${this.session}: event ${event.revision} came after ${this.seen}`);
    const row = (this.row ??= newRow(this.session, event));
    if (event.type === 'agent_response' || event.type === 'agent_thinking') {
      this.pushText(row, event);
    } else {
      this.pushOther(row, event);
    }
    this.seen = event.revision;
  }

  /** A run that may still change, or one of the newest. */
  run(run: RunId | undefined): ListedRun | undefined {
    return run === undefined ? undefined : this.runs.get(run);
  }

  /** null: no row changed. */
  take(): SessionChanges | null {
    const { row } = this;
    if (row === null || !(this.isDirty || this.runs.hasChanges)) return null;
    row.foldedTo = this.foldedTo;
    row.isHidden = this.fold.hides;
    const { messages, wanted, clearedTo, titleFrom } = this;
    this.forgetTaken();
    return { row, runs: this.runs.take(), messages, wanted, clearedTo, titleFrom };
  }

  private get foldedTo(): number {
    const since = Math.min(this.fold.openSince ?? Infinity, this.claimedAt ?? Infinity);
    return since === Infinity ? this.seen : since - 1;
  }

  private forgetTaken(): void {
    this.messages = [];
    this.wanted = [];
    this.clearedTo = null;
    this.titleFrom = null;
    this.isDirty = false;
  }

  /** Only the fold has to learn of events that the tables know; what it makes of them has its rows. */
  private resume(tail: readonly RecordedSessionEvent[]): void {
    const row = { ...this.row! };
    for (const event of tail) {
      this.fold.push(event);
      this.noteStart(event);
      this.seen = event.revision;
    }
    Object.assign(this.row!, row);
    this.textSince = row.hasOpenText ? this.fold.openSince : null;
    this.forgetTaken();
  }

  /** Invariant 2. */
  private pushText(row: SessionRecord, event: RecordedSessionEvent): void {
    this.fold.push(event);
    this.runs.noteText(event.meta.run, event.revision);
    if (row.hasOpenText || this.fold.openSince === null || this.fold.hides) return;
    if (event.type !== this.openType) return;
    row.hasOpenText = true;
    this.textSince = this.fold.openSince;
    this.isDirty = true;
  }

  private pushOther(row: SessionRecord, event: RecordedSessionEvent): void {
    this.runs.push(this.session, event);
    this.fold.push(event);
    this.noteStart(event);
    if (row.hasOpenText && this.fold.openSince !== this.textSince) {
      row.hasOpenText = false;
      this.isDirty = true;
    }
    this.noteRun(row, event);
  }

  private noteStart(event: RecordedSessionEvent): void {
    if (event.type === 'run_claimed' && event.data.epoch === 1) this.claimedAt = event.revision;
    else if (event.type === 'agent_started') this.claimedAt = null;
    else if (event.type === 'agent_thinking_start') this.openType = 'agent_thinking';
    else if (event.type === 'agent_response_start') this.openType = 'agent_response';
  }

  private noteRun(row: SessionRecord, event: RecordedSessionEvent): void {
    if (event.type === 'session_opened') this.noteFork(row, event.data);
    if (event.type === 'run_requested' && this.runs.isRequest(event)) {
      row.lastRun = event.meta.run ?? null;
      this.noteTitle({ at: event.revision, message: event.data.message });
    }
    row.cost += this.runs.takeCost();
    if (row.lastRun !== null) row.lastStatus = this.runs.statusOf(row.lastRun) ?? row.lastStatus;
  }

  private noteFork(row: SessionRecord, opened: Parameters<typeof forkOf>[0]): void {
    row.forkedFrom = forkOf(opened)?.forked_from ?? null;
    row.inherits = row.forkedFrom !== null;
    this.isDirty = true;
  }

  private sink(): HistorySink {
    return {
      add: (message) => this.addMessage(message),
      addRequest: (_run, revision, requested) => {
        this.wanted.push({ session: this.session, revision, requested });
        this.row!.messageCount += 1;
        this.noteTitle({ at: requested });
        this.isDirty = true;
      },
      clear: (revision) => {
        this.forgetTaken();
        this.clearedTo = revision;
        Object.assign(this.row!, { messageCount: 0, title: null, inherits: false });
        this.isDirty = true;
      },
    };
  }

  private addMessage({ type, revision, pieces, requested = revision }: HistoryMessage): void {
    this.messages.push({ session: this.session, revision, type, pieces });
    this.row!.messageCount += 1;
    const [message] = pieces;
    if (type === 'user_message' && message !== undefined) this.noteTitle({ at: requested, message });
    this.isDirty = true;
  }

  /** The first message, of a run that waits, too; after a clear the first one after it. */
  private noteTitle(from: TitleSource): void {
    if (this.row!.title === null) this.titleFrom ??= from;
  }
}

const newRow = (session: SessionId, event: RecordedSessionEvent): SessionRecord => ({
  session,
  project: event.meta.project,
  createdAt: event.time,
  title: null,
  lastRun: null,
  lastStatus: null,
  cost: 0n,
  messageCount: 0,
  hasOpenText: false,
  foldedTo: -1,
  isHidden: false,
  forkedFrom: null,
  inherits: false,
});
