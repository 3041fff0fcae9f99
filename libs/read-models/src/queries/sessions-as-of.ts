import {
  type ProjectId,
  type Revision,
  type SessionId,
  type SessionMoment,
  isSessionId,
  notFound,
  requireMoment,
  sessionStream,
} from '#domain';
import { SessionRecordFold, type SessionView, type TitleSource, sessionView } from '#projections';
import type { EventLog } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { requestedMessage } from '../projection/batch-changes.js';
import { LOG_PAGE_BYTES, knownEvent, requireUnerased } from './history-tail.js';
import type { SessionLines } from './session-lines.js';
import type { SessionOwners } from './session-owners.js';

/** Sessions as they were at one of their events, from the log alone. */
export class SessionsAsOf {
  constructor(
    private readonly log: EventLog,
    private readonly owners: SessionOwners,
    private readonly lines: SessionLines,
  ) {}

  /**
   * The event of a session of the project's own that a question is about.
   * @param at absent: its last
   * @throws Problem not_found; unprocessable: the session has no such event yet; LogUnavailable
   */
  async moment(project: ProjectId, session: SessionId, at?: Revision): Promise<SessionMoment> {
    if (!isSessionId(session)) throw notFound('the session');
    await this.owners.require(project, session, 'the session');
    const last = await this.lastOf(session);
    if (at !== undefined) requireMoment(at, last);
    return { session, at: at ?? last };
  }

  /** What lists told of it then. @throws Problem not_found: erased meanwhile; LogUnavailable */
  async session({ session, at }: SessionMoment, weigh: Weigh = unweighed): Promise<SessionView> {
    const fold = new SessionRecordFold(session);
    for await (const page of this.log.readStream(sessionStream(session), { limit: at + 1 })) {
      requireUnerased(page);
      const unknown = page.findIndex((event) => knownEvent(event) === null);
      // What follows an event that is unknown here is not known either.
      for (const event of unknown < 0 ? page : page.slice(0, unknown)) fold.push(knownEvent(event)!);
      if (unknown >= 0) break;
      await weigh(LOG_PAGE_BYTES);
    }
    const summary = fold.finish();
    if (summary === null) throw notFound('the session');
    const inherited = await this.lines.inherited(session, summary.inherits, { weigh });
    return sessionView(summary, await this.titleOf(session, summary.titleFrom, weigh), inherited);
  }

  private async titleOf(session: SessionId, from: TitleSource | null, weigh: Weigh): Promise<string | null> {
    if (from === null) return null;
    const message = from.message ?? (await requestedMessage(this.log, session, from.at));
    return this.lines.titleOf(session, message, weigh);
  }

  private async lastOf(session: SessionId): Promise<Revision> {
    for await (const page of this.log.readStream(sessionStream(session), { backwards: true, limit: 1 })) {
      requireUnerased(page);
      if (page[0] !== undefined) return page[0].revision;
    }
    throw notFound('the session');
  }
}
