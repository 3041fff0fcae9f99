import type { ProjectId, RunId } from '#domain';

/** Bytes of JSON that the servers of all runs that wait may have together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

interface Held {
  readonly project: ProjectId;
  readonly bytes: number;
}

/**
 * Which runs wait whose tool servers are kept in memory, and how large those are. Where they are too large together, the
 * oldest of the project that has the most are let go: such a run asks for its servers when it goes on.
 */
export class HeldServers {
  /** In the order in which they came to wait. */
  private readonly held = new Map<RunId, Held>();
  private readonly bytesOf = new Map<ProjectId, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number = MAX_HELD_BYTES) {}

  /** Returns the runs of which nothing is to be kept any more. */
  hold(run: RunId, held: Held): readonly RunId[] {
    this.release(run);
    this.held.set(run, held);
    this.add(held, 1);
    const over: RunId[] = [];
    while (this.bytes > this.maxBytes) {
      const oldest = this.oldestOf(this.largestProject());
      if (oldest === undefined) break;
      this.release(oldest);
      over.push(oldest);
    }
    return over;
  }

  release(run: RunId): void {
    const held = this.held.get(run);
    if (held === undefined) return;
    this.held.delete(run);
    this.add(held, -1);
  }

  private add({ project, bytes }: Held, sign: 1 | -1): void {
    this.bytes += sign * bytes;
    const sum = (this.bytesOf.get(project) ?? 0) + sign * bytes;
    if (sum > 0) this.bytesOf.set(project, sum);
    else this.bytesOf.delete(project);
  }

  private largestProject(): ProjectId | undefined {
    let largest: readonly [ProjectId, number] | undefined;
    for (const entry of this.bytesOf) if (largest === undefined || entry[1] > largest[1]) largest = entry;
    return largest?.[0];
  }

  private oldestOf(project: ProjectId | undefined): RunId | undefined {
    for (const [run, held] of this.held) if (held.project === project) return run;
    return undefined;
  }
}
