import { Quota } from '#platform';
import { type ReadModels, ReadModelsUnavailable } from '#read-models';
import { type AcceptedRun, type StartRun, type StartRunHandler, TaskShares } from '#runs';

/** Where runs come in that somebody asks for, by HTTP or Kafka: what is theirs alone is checked here. */
export class RunDoor {
  private readonly shares: TaskShares;

  constructor(
    private readonly startRun: Pick<StartRunHandler, 'start'>,
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
}
