import {
  requireSession,
  type ProjectId,
  type SessionId,
  isSessionId,
  notFound,
  sessionStream,
} from '#domain';
import { LogUnavailable, NO_EVENTS } from '#event-log';
import { loadSession } from './load-session.js';
import type { SessionPorts } from './session-ports.js';
import { Session } from './session.js';

/** Sessions at rest that are kept in memory, with the model's context, so that their next run reads nothing. */
const KEPT = 512;
const STOP_MS = 3_000;
const POLL_MS = 20;

/**
 * The sessions that this process knows: those with runs, and the ones used last.
 *
 * There is never more than one `Session` of an id that may write: two would drive the same run under the same claim. So
 * whoever writes does it within `use`, `useOrCreate` or `useNew`: until it is done the session is not forgotten.
 */
export class Sessions {
  /** In the order of their last use. */
  private readonly known = new Map<string, Session>();
  private readonly loading = new Map<string, Promise<void>>();
  private readonly ports: SessionPorts;
  private isDraining = false;

  constructor(ports: Omit<SessionPorts, 'rested'>) {
    this.ports = { ...ports, rested: () => this.forgetOldest() };
  }

  /** A session that is new: nobody can know its id yet, so nothing is read. */
  useNew<T>(id: string, work: (session: Session) => Promise<T>): Promise<T> {
    const session = new Session(id, this.ports);
    this.known.set(id, session);
    return this.within(session, work);
  }

  /** @throws Problem not_found, LogUnavailable */
  async use<T>(id: string, work: (session: Session) => T | Promise<T>): Promise<T> {
    if (!isSessionId(id)) throw notFound('the session');
    return this.useOrCreate(id, async (session) => {
      await session.refresh();
      const { revision, state, isBeginning } = session.journal;
      // Somebody may have found it on the log and told of it.
      if (isBeginning) throw new LogUnavailable('the session is being written');
      if (revision === NO_EVENTS || state.isErased) throw notFound('the session');
      return work(session);
    });
  }

  /** A session whose id may have been made before: it is read, and new where nothing is there. @throws LogUnavailable */
  async useOrCreate<T>(id: string, work: (session: Session) => Promise<T>): Promise<T> {
    for (;;) {
      const session = this.known.get(id);
      if (session) {
        this.known.delete(id);
        this.known.set(id, session);
        return this.within(session, work);
      }
      await this.loaded(id);
    }
  }

  /** To look at, not to write. @throws Problem not_found, LogUnavailable */
  get(id: string): Promise<Session> {
    return this.use(id, (session) => session);
  }

  /** One of the project's, to look at. @throws Problem not_found, LogUnavailable */
  async require(project: ProjectId, id: string): Promise<Session> {
    const session = await this.get(id);
    requireSession(session.journal.state, project);
    return session;
  }

  /** Of one that is not there, or whose first events are being written: no. @throws LogUnavailable */
  isErased(id: SessionId): Promise<boolean> {
    return this.useOrCreate(id, async (session) => {
      await session.refresh();
      return session.journal.state.isErased === true;
    });
  }

  /** A session is erased: what forks of it know of it goes. */
  forget(session: SessionId): void {
    for (const known of this.known.values()) known.context.forgetOrigin(session);
  }

  /** Those with something to do in this process. */
  active(): Session[] {
    return [...this.known.values()].filter((session) => !session.isAtRest);
  }

  /**
   * Ends what this process does: nothing new is started, runs come to the end of their turn within `graceMs`, and those
   * that do not are left as they are. All of them go on from the log where they are claimed next.
   */
  async drain(graceMs: number): Promise<void> {
    this.isDraining = true;
    for (const session of this.known.values()) session.drain();
    await this.atRest(graceMs);
    for (const session of this.known.values()) session.stop();
    await this.atRest(STOP_MS);
  }

  private async atRest(withinMs: number): Promise<void> {
    const { clock } = this.ports;
    const until = clock.now() + withinMs;
    while (this.active().length > 0 && clock.now() < until) await clock.sleep(POLL_MS);
  }

  private async within<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await session.inUse(() => work(session));
    } finally {
      const isEmpty = session.journal.revision === NO_EVENTS && session.isAtRest;
      if (isEmpty && this.known.get(session.id) === session) this.known.delete(session.id);
    }
  }

  private loaded(id: string): Promise<void> {
    const loading = this.loading.get(id) ?? this.load(id).finally(() => this.loading.delete(id));
    this.loading.set(id, loading);
    return loading;
  }

  private async load(id: string): Promise<void> {
    const start = await loadSession(this.ports.log, sessionStream(id));
    const session = new Session(id, this.ports, start.revision === NO_EVENTS ? undefined : start);
    this.known.set(id, session);
    if (this.isDraining) session.drain();
    session.react();
  }

  private forgetOldest(): void {
    if (this.known.size <= KEPT) return;
    for (const [id, session] of this.known) {
      if (this.known.size <= KEPT) return;
      if (session.isAtRest) this.known.delete(id);
    }
  }
}
