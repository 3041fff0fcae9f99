import type { FollowerStatus } from './follower-status.js';

interface Following {
  readonly name: string;
  status(): Promise<FollowerStatus>;
}

/**
 * Registry of the followers running in this process, for health and metrics. They add and remove themselves.
 */
export class RunningFollowers {
  private readonly running = new Set<Following>();

  add(follower: Following): void {
    this.running.add(follower);
  }

  delete(follower: Following): void {
    this.running.delete(follower);
  }

  get names(): ReadonlySet<string> {
    return new Set([...this.running].map(({ name }) => name));
  }

  /** Status of each, except while the log's head cannot be read. */
  async statuses(): Promise<readonly FollowerStatus[]> {
    const asked = await Promise.allSettled([...this.running].map((follower) => follower.status()));
    return asked.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
  }
}
