import type { ProjectId, RunId, SessionId } from '#domain';

interface Entrant {
  readonly project: ProjectId;
  /** Requests under way; one run stands here more than once where its key is repeated meanwhile. */
  readonly runs: RunId[];
}

/**
 * Sessions that have nothing to do yet, and whose first run is on its way to the log and will wait for room. Owns which,
 * each until its run is seen in the session or its last request has come to nothing. One for each session, since what
 * comes behind its first run waits for that, not for room.
 */
export class Entrants {
  private readonly sessions = new Map<string, Entrant>();
  private readonly counts = new Map<string, number>();

  get size(): number {
    return this.sessions.size;
  }

  of(project: ProjectId): number {
    return this.counts.get(project) ?? 0;
  }

  projects(): Iterable<ProjectId> {
    return this.counts.keys();
  }

  has(session: SessionId, run: RunId): boolean {
    return this.sessions.get(session)?.runs.includes(run) === true;
  }

  /** Counts the session until what is returned was called by all that entered it. */
  enter(session: SessionId, run: RunId, project: ProjectId): () => void {
    const entrant = this.sessions.get(session) ?? this.add(session, project);
    entrant.runs.push(run);
    return () => {
      entrant.runs.splice(entrant.runs.indexOf(run), 1);
      // It may have been seen since then, and another one have come in its place.
      if (entrant.runs.length === 0 && this.sessions.get(session) === entrant) this.seen(session);
    };
  }

  /** The session has runs now: whether one waits for room is known without this. */
  seen(session: SessionId): void {
    const entrant = this.sessions.get(session);
    if (entrant === undefined) return;
    this.sessions.delete(session);
    const left = this.of(entrant.project) - 1;
    if (left === 0) this.counts.delete(entrant.project);
    else this.counts.set(entrant.project, left);
  }

  private add(session: SessionId, project: ProjectId): Entrant {
    const entrant = { project, runs: [] };
    this.sessions.set(session, entrant);
    this.counts.set(project, this.of(project) + 1);
    return entrant;
  }
}
