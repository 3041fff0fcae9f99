import { type RecordedSessionEvent, type SessionId, asSessionEvent, sessionStream } from '#domain';
import { SessionFold, type StoredSession } from '#projections';
import type { EventLog } from '#event-log';
import type { ReadModelStore } from './rows.js';

/** Sessions whose fold is kept; of others it is made from their rows and the end of their stream. */
const KEPT_SESSIONS = 1_000;

/** The sessions that events come for, those of the latest batches ready in memory. */
export class SessionCache {
  private readonly sessions = new Map<string, SessionFold>();

  constructor(
    private readonly store: ReadModelStore,
    private readonly log: EventLog,
  ) {}

  get(session: SessionId): SessionFold | undefined {
    return this.sessions.get(session);
  }

  drop(session: SessionId): void {
    this.sessions.delete(session);
  }

  /** Forgets them all: memory may be ahead of the tables. */
  clear(): void {
    this.sessions.clear();
  }

  /** Makes ready the sessions whose next events have these revisions. */
  async prepare(nextRevisions: ReadonlyMap<string, number>): Promise<void> {
    const missing: string[] = [];
    for (const [session, next] of nextRevisions) {
      const known = this.sessions.get(session);
      this.sessions.delete(session);
      if (known !== undefined && known.seen >= next - 1) this.sessions.set(session, known);
      else if (next === 0) this.sessions.set(session, new SessionFold(session, null));
      else missing.push(session);
    }
    if (missing.length > 0) await this.restore(missing, nextRevisions);
    for (const oldest of this.sessions.keys()) {
      if (this.sessions.size <= KEPT_SESSIONS || nextRevisions.has(oldest)) break;
      this.sessions.delete(oldest);
    }
  }

  private async restore(
    missing: readonly string[],
    nextRevisions: ReadonlyMap<string, number>,
  ): Promise<void> {
    const stored = new Map(
      (await this.store.loadSessions(missing)).map((found) => [found.row.session, found]),
    );
    for (const session of missing) {
      const found = stored.get(session) ?? null;
      const next = nextRevisions.get(session) ?? 0;
      const projection = found === null ? await this.refold(session, next) : await this.resume(found, next);
      if (projection !== null) this.sessions.set(session, projection);
    }
  }

  private async resume(found: StoredSession, next: number): Promise<SessionFold> {
    const { session, foldedTo } = found.row;
    return new SessionFold(session, found, await this.read(session, foldedTo, next));
  }

  /** A session whose events came before, but not its row: all of it is folded again. null: it is erased. */
  private async refold(session: SessionId, next: number): Promise<SessionFold | null> {
    const projection = new SessionFold(session, null);
    for await (const page of this.log.readStream(sessionStream(session), { limit: next }))
      for (const event of page) {
        if (event.isErased === true) return null;
        projection.push(asSessionEvent(event));
      }
    return projection;
  }

  private async read(session: SessionId, after: number, next: number): Promise<RecordedSessionEvent[]> {
    const tail: RecordedSessionEvent[] = [];
    if (next - 1 <= after) return tail;
    for await (const page of this.log.readStream(sessionStream(session), { after, limit: next - 1 - after }))
      for (const event of page) if (!event.isErased) tail.push(asSessionEvent(event));
    return tail;
  }
}
