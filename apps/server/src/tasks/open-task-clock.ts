import type { ReadModels } from '#read-models';
import { type Core, type Part, TaskClock, type TaskClockPorts, TaskIndex, type TaskSnapshot } from '#runs';

/** Finds tasks in the read models, once they know all that was on the log. */
class ReadModelTaskIndex extends TaskIndex {
  constructor(private readonly readModels: ReadModels) {
    super();
  }

  override async scheduled(): Promise<TaskSnapshot> {
    await this.catchUp();
    // Before the rows are read: they may know more than the position says, never less.
    const position = await this.readModels.position();
    return { tasks: await this.readModels.tasks.scheduled(), position };
  }

  override async unmade(): Promise<readonly { readonly session: string; readonly requested: number }[]> {
    await this.catchUp();
    return this.readModels.tasks.unmade();
  }

  override async unstarted(before: number): Promise<readonly string[]> {
    await this.catchUp();
    return this.readModels.tasks.unstarted(before);
  }

  private async catchUp(): Promise<void> {
    await this.readModels.ready;
    await this.readModels.caughtUp();
  }
}

/** Makes the clock of the tasks, which is to be started. */
export function taskClockOf(
  { maker, firings }: Core,
  readModels: ReadModels,
  ports: Pick<TaskClockPorts, 'log' | 'clock' | 'background' | 'logger'>,
): () => Part {
  const index = new ReadModelTaskIndex(readModels);
  return () => new TaskClock({ ...ports, maker, firings, index });
}
