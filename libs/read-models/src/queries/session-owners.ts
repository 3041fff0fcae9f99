import { notFound, sessionStream, type ProjectId, type SessionId } from '#domain';
import { type EventLog, eventAt } from '#event-log';
import type { Clock } from '#platform';

/** A read that others write to may not show for a moment what a row knows already. */
const TRIES = 3;
const RETRY_MS = 50;
const MOST_KNOWN = 20_000;

/**
 * Whose sessions are: what the first event of each says, which never changes. Owns what was read of it. Rows say so, too,
 * and are looked up by it; but what they hold is opened for nobody else than the log names, whatever they were made to say.
 */
export class SessionOwners {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem not_found; LogUnavailable */
  async require(project: ProjectId, session: SessionId, what: string): Promise<void> {
    if ((await this.ownerOf(session)) !== project) throw notFound(what);
  }

  /** Those of the rows that are of the project's own sessions. @throws LogUnavailable */
  async only<R extends { readonly session: SessionId }>(
    project: ProjectId,
    rows: readonly R[],
  ): Promise<R[]> {
    const sessions = [...new Set(rows.map(({ session }) => session))];
    const owners = await Promise.all(sessions.map((session) => this.ownerOf(session)));
    const own = new Set(sessions.filter((_, index) => owners[index] === project));
    return rows.filter(({ session }) => own.has(session));
  }

  /** null: there is no such session. */
  private async ownerOf(session: SessionId): Promise<string | null> {
    const known = this.known.get(session);
    if (known !== undefined) return known;
    for (let left = TRIES; ; left -= 1) {
      const owner = await this.read(session);
      if (owner !== null) return this.keep(session, owner);
      if (left === 1) return null;
      await this.clock.sleep(RETRY_MS);
    }
  }

  private async read(session: SessionId): Promise<string | null> {
    return (await eventAt(this.log, sessionStream(session), 0))?.meta.project ?? null;
  }

  private keep(session: SessionId, owner: string): string {
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(session, owner);
    return owner;
  }
}
