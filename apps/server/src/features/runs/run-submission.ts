import type { ProjectId, RunId } from '#domain';
import { Quota } from '#platform';
import { type ReadModels, ReadModelsUnavailable } from '#read-models';
import { type AcceptedRun, type StartRun, type StartRunHandler, TaskShares } from '#runs';

/** Where runs come in that somebody asks for, by HTTP or Kafka: what is theirs alone is checked here. */
export class RunSubmission {
  private readonly shares: TaskShares;

  constructor(
    private readonly startRun: Pick<StartRunHandler, 'start' | 'runOfKey'>,
    tasks: Pick<ReadModels['tasks'], 'standing'>,
    maxTasks: number,
  ) {
    const isOutage = (error: unknown): boolean => error instanceof ReadModelsUnavailable;
    this.shares = new TaskShares(new Quota(maxTasks, (project) => tasks.standing(project), isOutage));
  }

  /** @throws as StartRunHandler */
  start(command: StartRun): Promise<AcceptedRun> {
    return this.shares.start(command, (checked) => this.startRun.start(checked));
  }

  /** The run that an Idempotency-Key stands for; null: none. @throws LogUnavailable */
  runOfKey(project: ProjectId, key: string): Promise<RunId | null> {
    return this.startRun.runOfKey(project, key);
  }
}
