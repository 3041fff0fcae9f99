import { Injectable } from '@nestjs/common';
import type { Revision, SessionId } from '#domain';
import { Logger } from '#platform';
import { KeyEnd } from '../features/keys/key-end.js';
import type { ReadModels } from '#read-models';
import {
  type Core,
  TaskClock,
  type TaskClockPorts,
  TaskIndex,
  TaskPauses,
  type TaskPausesPorts,
  type TaskSnapshot,
  TasksOfKeys,
} from '#runs';
import { type Part } from '#replicas';

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

  override async unmade(): Promise<readonly { readonly session: SessionId; readonly requested: Revision }[]> {
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

/** Finds what keys have scheduled in the read models. */
class ReadModelTasksOfKeys extends TasksOfKeys {
  constructor(private readonly readModels: ReadModels) {
    super();
  }

  override async keys(): Promise<readonly string[]> {
    await this.readModels.caughtUp();
    return this.readModels.tasks.keys();
  }

  override async of(keyId: string): Promise<readonly string[]> {
    await this.readModels.caughtUp();
    return this.readModels.tasks.scheduledBy(keyId);
  }
}

/** Makes what pauses the tasks of ended keys, which is to be started where it is to look for them by itself. */
export function taskPausesOf(
  readModels: ReadModels,
  ports: Omit<TaskPausesPorts, 'tasks'>,
): () => TaskPauses {
  const tasks = new ReadModelTasksOfKeys(readModels);
  return () => new TaskPauses({ ...ports, tasks });
}

/** Does what the end of a key asks for; what it cannot do now is found again by who looks for it every while. */
@Injectable()
export class PausedKeyEnd extends KeyEnd {
  constructor(
    private readonly pauses: TaskPauses,
    private readonly logger: Logger,
  ) {
    super();
  }

  override async ended(keyId: string, actor: string): Promise<void> {
    try {
      await this.pauses.pauseAllOf(keyId, actor);
    } catch (error) {
      this.logger.warn({ err: error, key: keyId }, 'the tasks of a revoked key are paused later');
    }
  }
}

/** Makes the clock of the tasks, which is to be started. */
export function taskClockOf(
  { maker, firings }: Core,
  readModels: ReadModels,
  ports: Omit<TaskClockPorts, 'maker' | 'firings' | 'index'>,
): () => Part {
  const index = new ReadModelTaskIndex(readModels);
  return () => new TaskClock({ ...ports, maker, firings, index });
}
