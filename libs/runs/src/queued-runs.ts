import { Problem, type ProjectId, type SessionId } from '#domain';

/** When to come back. */
export const RETRY_AFTER_S = 5;

/**
 * How many runs of each project wait in this process, for room or behind another run of their session. Owns a number for
 * each session that has some, and one for each project; what is being written counts, too.
 */
export class QueuedRuns {
  private readonly sessions = new Map<string, readonly [project: ProjectId, count: number]>();
  private readonly projects = new Map<string, number>();

  constructor(private readonly maxEach: number = Infinity) {}

  of(project: ProjectId): number {
    return this.projects.get(project) ?? 0;
  }

  /** What is known of a session now. */
  note(session: SessionId, project: ProjectId | null, count: number): void {
    const [before, known] = this.sessions.get(session) ?? ['', 0];
    if (known === count) return;
    this.add(before, -known);
    this.add(project ?? before, count);
    if (count === 0) this.sessions.delete(session);
    else this.sessions.set(session, [project ?? before, count]);
  }

  /** @throws Problem rate_limited where the project has its share already */
  requireShare(project: ProjectId): void {
    const queued = this.of(project);
    if (queued < this.maxEach) return;
    const detail = `${queued} runs of this project wait already (MAX_QUEUED_RUNS_PER_PROJECT); try again later`;
    throw new Problem('rate_limited', detail, { retryAfterS: RETRY_AFTER_S });
  }

  /** Counts a run that is about to be queued, until what is returned is called. @throws as requireShare */
  enter(project: ProjectId): () => void {
    this.requireShare(project);
    this.add(project, 1);
    return () => this.add(project, -1);
  }

  private add(project: ProjectId, count: number): void {
    if (count === 0) return;
    const sum = this.of(project) + count;
    if (sum === 0) this.projects.delete(project);
    else this.projects.set(project, sum);
  }
}
