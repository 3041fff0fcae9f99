import type { Budgets } from '#access';
import type { Mode, RunId } from '#domain';
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
    private readonly budgets: Pick<Budgets, 'requireLeft'>,
    private readonly models: Readonly<Record<Mode, string>>,
  ) {
    const isOutage = (error: unknown): boolean => error instanceof ReadModelsUnavailable;
    this.shares = new TaskShares(new Quota(maxTasks, (project) => tasks.standing(project), isOutage));
  }

  /** @throws as StartRunHandler */
  start(command: StartRun): Promise<AcceptedRun> {
    const { project, actor: key, mode, model = this.models[mode], config } = command;
    const checkBudget = (): Promise<void> => this.budgets.requireLeft({ project, key, model }, config.budget);
    return this.shares.start({ ...command, checkBudget }, (checked) => this.startRun.start(checked));
  }

  /** The run that an Idempotency-Key stands for; null: none. @throws LogUnavailable */
  runOfKey(...of: Parameters<StartRunHandler['runOfKey']>): Promise<RunId | null> {
    return this.startRun.runOfKey(...of);
  }
}
