import { type Revision, type SessionId, knownSessionEvent, sessionStream } from '#domain';
import { type EventLog, LogUnavailable, NO_EVENTS, lastEventOf } from '#event-log';

/** The forks that were made of a session, and those of these: what the streams of the sessions say. */
export class ForksOf {
  private seenTo = NO_EVENTS;
  private readonly found = new Set<SessionId>();

  constructor(
    private readonly log: EventLog,
    private readonly session: SessionId,
  ) {}

  /** Finds those that were made since the last look. @throws LogUnavailable where a read lags behind `known` */
  async look(known: Revision = NO_EVENTS): Promise<void> {
    const { seenTo: after } = this;
    const bound = after === NO_EVENTS ? {} : { after };
    for await (const page of this.log.readStream(sessionStream(this.session), bound))
      for (const recorded of page) {
        this.seenTo = recorded.revision;
        if (recorded.type !== 'session_forked' && recorded.type !== 'session_erased') continue;
        const event = knownSessionEvent(recorded);
        if (event?.type === 'session_forked' && !event.isUnreadable) this.found.add(event.data.session);
        if (event?.type === 'session_erased') for (const fork of event.data.forks ?? []) this.found.add(fork);
      }
    if (this.seenTo < known) throw new LogUnavailable('the session cannot be read as far as it is known');
  }

  /** Made of the session itself, or of a fork that is erased, and there. */
  async direct(): Promise<readonly SessionId[]> {
    const there: SessionId[] = [];
    for (const fork of this.found)
      if (await isThere(this.log, fork)) there.push(fork);
      else there.push(...(await (await ForksOf.read(this.log, fork)).direct()));
    return there;
  }

  /** Each before its own. */
  async all(): Promise<readonly SessionId[]> {
    const all: SessionId[] = [];
    for (const fork of await this.direct())
      all.push(fork, ...(await (await ForksOf.read(this.log, fork)).all()));
    return all;
  }

  private static async read(log: EventLog, session: SessionId): Promise<ForksOf> {
    const forks = new ForksOf(log, session);
    await forks.look();
    return forks;
  }
}

/** One that was to be opened, and was not, is not there; nor is one that is erased. */
async function isThere(log: EventLog, session: SessionId): Promise<boolean> {
  const last = await lastEventOf(log, sessionStream(session));
  return last !== undefined && last.type !== 'session_erased';
}
