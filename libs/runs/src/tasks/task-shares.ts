import { Problem, type ProjectId } from '#domain';
import type { Quota } from '#platform';
import type { AcceptedRun, StartRun } from '../start/start-run-request.js';

/** Bounds the tasks of a project that may fire again: those that are scheduled, and those that are paused. */
export class TaskShares {
  /** @param standing counts them, as of what this process has answered before */
  constructor(private readonly standing: Quota) {}

  /** Starts a run whose schedules have room; a repeat brings none. @throws Problem unprocessable; as `start` */
  async start(command: StartRun, start: (command: StartRun) => Promise<AcceptedRun>): Promise<AcceptedRun> {
    const count = command.schedules?.length ?? 0;
    if (count === 0) return start(command);
    let end = (_isKept: boolean): void => undefined;
    let isKept = false;
    const checkState = async (): Promise<void> => {
      await command.checkState?.();
      end = await this.reserve(command.project, count);
    };
    try {
      const accepted = await start({ ...command, checkState });
      isKept = true;
      return accepted;
    } finally {
      end(isKept);
    }
  }

  private async reserve(project: ProjectId, count: number): Promise<(isKept: boolean) => void> {
    const reserved = await this.standing.reserve(project, count);
    if (typeof reserved === 'function') return reserved;
    const { limit } = this.standing;
    const detail = `${count} more would be over the ${limit} tasks that a project may have (MAX_TASKS_PER_PROJECT): ${reserved.used} are scheduled or paused; cancel some`;
    throw new Problem('unprocessable', detail);
  }
}
