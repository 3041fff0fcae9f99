import { type FoldedMessage, HistoryMessages } from '#projections';
import { type RecordedSessionEvent, type Revision, type SessionId, sessionStream } from '#domain';
import type { EventLog } from '#event-log';
import type { Weigh } from '#platform';
import type { HistoryRows, PastHistory } from '../postgres/history-rows.js';
import { LOG_PAGE_BYTES, knownEvent, requireUnerased } from './history-tail.js';

/** Where a fold of the log begins. */
interface Begin {
  readonly after: Revision;
  /** Messages from here on are those that it adds. */
  readonly from: Revision;
  /** Stands before it, and says where the message of a run is that starts behind it. */
  readonly claim?: RecordedSessionEvent;
}

const WHOLE: Begin = { after: -1, from: -1 };

/** So many events the log tells faster than the tables: lines of forks have many short parts. */
const FEW_EVENTS = 64;

/** A session up to an event. */
export interface Passage {
  readonly session: SessionId;
  readonly at: Revision;
  /** Whether anything was cleared up to there; absent: nobody knows. */
  readonly isCleared?: boolean;
}

/**
 * The history as of an event. Rows behind a clear are gone from the tables, and of a block they know only what it became:
 * so rows tell what was complete at the event, as far as they still do, and the log what comes after, from the last clear on.
 */
export class HistoryPassage {
  constructor(
    private readonly log: EventLog,
    private readonly rows: Pick<HistoryRows, 'past' | 'rest'>,
    private readonly of: Passage,
  ) {}

  /**
   * A page at a time.
   * @throws Problem not_found: erased; LogUnavailable; ReadModelsUnavailable where it was cleared between two pages
   */
  async *messages(weigh: Weigh): AsyncGenerator<readonly FoldedMessage[]> {
    const { session } = this.of;
    const past = await this.past();
    const begin = await this.begin(past);
    // Of what was cleared by then nothing is told.
    if (past !== null && past.next !== null && begin.from === past.next) {
      yield past.messages;
      if (past.rest !== null) {
        await weigh(past.rest.pageBytes);
        yield* this.rows.rest(session, past.rest);
      }
    }
    yield* this.onLog(begin, weigh);
  }

  /** Whether anything was cleared up to the event. @throws Problem not_found: erased; LogUnavailable */
  async isCleared(): Promise<boolean> {
    const past = await this.past();
    return (await this.lastClear(past?.inherits ? past.foldedTo : -1)) !== null;
  }

  /** Behind which event a fold of the log begins that shows all of it. @throws as `isCleared` */
  async beginOnLog(): Promise<Revision> {
    if (this.of.isCleared === false) return WHOLE.after;
    const past = await this.past();
    const { after, from, claim } = await this.begin(past);
    if (claim !== undefined) return claim.revision - 1;
    // The claim of a run stands before its start, where its message is.
    return past !== null && past.next === from ? Math.max((past.first ?? from) - 2, -1) : after;
  }

  private async *onLog(
    { after, from, claim }: Begin,
    weigh: Weigh,
  ): AsyncGenerator<readonly FoldedMessage[]> {
    const { session, at } = this.of;
    const fold = new HistoryMessages(false, from);
    if (claim !== undefined) fold.push(claim);
    let isFirst = true;
    for await (const page of this.log.readStream(sessionStream(session), { after, limit: at - after })) {
      requireUnerased(page);
      if (!isFirst) await weigh(LOG_PAGE_BYTES);
      isFirst = false;
      for (const event of page.map(knownEvent)) {
        // What follows is not known either.
        if (event === null) return yield fold.finish();
        fold.push(event);
      }
      yield fold.take();
    }
    yield fold.finish();
  }

  /** null: the log alone is asked. */
  private async past(): Promise<PastHistory | null> {
    const { session, at, isCleared } = this.of;
    return isCleared === false && at < FEW_EVENTS ? null : this.rows.past(session, at);
  }

  private async begin(past: PastHistory | null): Promise<Begin> {
    const { at, isCleared } = this.of;
    const isWhole = isCleared === false;
    if (past === null || past.next === null) return isWhole ? WHOLE : ((await this.lastClear(-1)) ?? WHOLE);
    // Nothing was cleared between the first row and the last event that the tables know.
    const cleared = at > past.foldedTo && !isWhole ? await this.lastClear(past.foldedTo) : null;
    // The claim of a run stands before its start, where its message is.
    return cleared ?? { after: Math.max(past.next - 2, -1), from: past.next };
  }

  /** The last clear after `bound` and up to the event; null: there was none. */
  private async lastClear(bound: Revision): Promise<Begin | null> {
    const { session, at } = this.of;
    let from: Revision | null = null;
    const pages = this.log.readStream(sessionStream(session), {
      after: at + 1,
      limit: at - bound,
      backwards: true,
    });
    for await (const page of pages) {
      requireUnerased(page);
      for (const event of page) {
        if (from === null && event.type === 'messages_cleared') from = event.revision;
        else if (from !== null && event.type === 'agent_started') return { after: from - 1, from };
        else if (from !== null && event.type === 'run_claimed')
          return { after: from - 1, from, claim: knownEvent(event)! };
      }
    }
    return from === null ? null : { after: from - 1, from };
  }
}
