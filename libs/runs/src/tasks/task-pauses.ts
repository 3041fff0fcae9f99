import { taskStream, type TaskId } from '#domain';
import { type EventLog, LogUnavailable, appendUntilDefinite, newEvent } from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import { loadTask } from './load-task.js';

/** Where it is looked up what keys have scheduled. It may be late, and may name too many or too few; the log decides. */
export abstract class TasksOfKeys {
  /** Those who have scheduled something that is to come. */
  abstract keys(): Promise<readonly string[]>;
  /** What is to come of a key's. */
  abstract of(keyId: string): Promise<readonly string[]>;
}

export interface TaskPausesPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly tasks: TasksOfKeys;
  /** Whether what is done later may be done in the name of a key. */
  readonly mayAct: (keyId: string) => boolean;
}

/** The lists are not there at once. */
const FIRST_MS = 2_000;
const RETRY_MS = 10_000;
const LOOK_MS = 30_000;
const AT_ONCE = 16;
const TRIES = 20;
/** Who is said to have paused a task of which nobody has. */
const ACTOR = 'clock';

/**
 * Pauses what keys that may act no more have scheduled, so that lists say so. Owns nothing: whether a task is paused its
 * stream says, and one that was left out here is paused when it comes due (TaskFirings).
 */
export class TaskPauses {
  private readonly stopping = new AbortController();
  private whenEnded: Promise<void> = Promise.resolve();

  constructor(private readonly ports: TaskPausesPorts) {}

  /** Looks soon and every while: for keys that expire, and for what a crash or another replica left. */
  start(): void {
    const ended = Promise.withResolvers<void>();
    this.whenEnded = ended.promise;
    this.ports.background.start('pause the tasks of ended keys', () =>
      this.lookUntilStopped().finally(ended.resolve),
    );
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('nothing more is paused'));
    await this.whenEnded;
  }

  /** Resolves when everything that is known to be the key's is paused. @throws LogUnavailable and what the lookup throws */
  async pauseAllOf(keyId: string, actor: string): Promise<void> {
    const left = [...(await this.ports.tasks.of(keyId))];
    const work = async (): Promise<void> => {
      for (let task = left.pop(); task !== undefined && !this.stopping.signal.aborted; task = left.pop())
        await this.pause(task, actor);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  private async lookUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    const { clock, logger } = this.ports;
    for (let pauseMs = FIRST_MS; ;) {
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.look();
        pauseMs = LOOK_MS;
      } catch (error) {
        logger.warn({ err: error }, 'tasks of ended keys could not be looked through');
        pauseMs = RETRY_MS;
      }
    }
  }

  private async look(): Promise<void> {
    const { tasks, mayAct } = this.ports;
    for (const keyId of await tasks.keys()) {
      if (this.stopping.signal.aborted) return;
      if (!mayAct(keyId)) await this.pauseAllOf(keyId, ACTOR);
    }
  }

  private async pause(task: TaskId, actor: string): Promise<void> {
    const { log, clock, random, mayAct } = this.ports;
    for (let left = TRIES; left > 0; left -= 1) {
      const state = await loadTask(log, task);
      if (state === null || state === 'erased' || state.status !== 'scheduled') return;
      if (mayAct(state.actor)) return;
      const { project, revision: expected } = state;
      const event = { id: random.uuid(), type: 'task_paused', time: clock.now(), data: {} };
      const made = newEvent(event, { schemaVersion: 1, project, actor });
      const result = await appendUntilDefinite(log, clock, random, taskStream(task), [made], { expected });
      if (result.kind === 'appended') return;
    }
    throw new LogUnavailable('the task is being written all the time');
  }
}
