import type { FollowerStatus } from './follower-status.js';

interface Following {
  readonly name: string;
  status(): Promise<FollowerStatus>;
}

/** The followers that work in a process, for whoever wants to know how far they are. They come and go by themselves. */
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

  /** Of those that can be asked now: without the log nobody knows its head. */
  async statuses(): Promise<readonly FollowerStatus[]> {
    const asked = await Promise.allSettled([...this.running].map((follower) => follower.status()));
    return asked.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
  }
}
