import { notFound, sessionStream } from '#domain';
import { NO_EVENTS } from '#event-log';
import { loadSession } from './load-session.js';
import { Session, type SessionPorts } from './session.js';

/** Sessions at rest that are kept in memory, with the model's context, so that their next run reads nothing. */
const KEPT = 512;

/** The sessions that this process knows: those with runs, and the ones used last. */
export class Sessions {
  /** In the order of their last use. */
  private readonly known = new Map<string, Session>();
  private readonly loading = new Map<string, Promise<Session>>();
  private readonly ports: SessionPorts;

  constructor(ports: Omit<SessionPorts, 'rested'>) {
    this.ports = { ...ports, rested: () => this.forgetOldest() };
  }

  /** A session that is new: nobody can know its id yet, so nothing is read. */
  create(id: string): Session {
    const session = new Session(id, this.ports);
    this.known.set(id, session);
    return session;
  }

  /** @throws Problem not_found, LogUnavailable */
  async get(id: string): Promise<Session> {
    const session = await this.getOrCreate(id);
    if (session.journal.revision !== NO_EVENTS) return session;
    if (session.isAtRest) this.known.delete(id);
    throw notFound('the session');
  }

  /** A session whose id may have been made before: it is read, and new where nothing is there. @throws LogUnavailable */
  async getOrCreate(id: string): Promise<Session> {
    const session = this.known.get(id);
    if (session) {
      this.known.delete(id);
      this.known.set(id, session);
      return session;
    }
    const loading = this.loading.get(id) ?? this.load(id);
    this.loading.set(id, loading);
    try {
      return await loading;
    } finally {
      this.loading.delete(id);
    }
  }

  /** Those with something to do in this process. */
  active(): Session[] {
    return [...this.known.values()].filter((session) => !session.isAtRest);
  }

  private async load(id: string): Promise<Session> {
    const start = await loadSession(this.ports.log, sessionStream(id));
    const session = new Session(id, this.ports, start.revision === NO_EVENTS ? undefined : start);
    this.known.set(id, session);
    session.react();
    return session;
  }

  private forgetOldest(): void {
    if (this.known.size <= KEPT) return;
    for (const [id, session] of this.known) {
      if (this.known.size <= KEPT) return;
      if (session.isAtRest) this.known.delete(id);
    }
  }
}
