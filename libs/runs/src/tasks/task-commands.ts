import {
  type TaskCommand,
  type TaskState,
  decideTask,
  isTaskId,
  notFound,
  taskStream,
  type ProjectId,
  type TaskId,
} from '#domain';
import { type EventLog, LogUnavailable, appendUntilDefinite, newEvent } from '#event-log';
import type { Clock, Random } from '#platform';
import type { Caller } from '../session-commands.js';
import { loadTask } from './load-task.js';

/** Nobody writes to a task so often that a command loses this many times. */
const TRIES = 20;

/** Pauses, resumes and cancels tasks. */
export class TaskCommands {
  constructor(
    private readonly ports: { readonly log: EventLog; readonly clock: Clock; readonly random: Random },
    /** Whether what is done later may be done in the name of a key. */
    private readonly mayAct: (keyId: string) => boolean = () => true,
  ) {}

  /** Nothing happens where it changes nothing. @throws Problem not_found; LogUnavailable */
  async command(task: TaskId, command: TaskCommand, { project, actor }: Caller): Promise<void> {
    const { log, clock, random } = this.ports;
    for (let left = TRIES; left > 0; left -= 1) {
      const state = await this.load(task, project);
      const isOrphan = !this.mayAct(state.actor);
      const decided: readonly { type: string; data: object }[] = decideTask(
        state,
        command,
        clock.now(),
        isOrphan,
      );
      if (decided.length === 0) return;
      const meta = { schemaVersion: 1, project, actor };
      const events = decided.map((event) =>
        newEvent({ id: random.uuid(), time: clock.now(), ...event }, meta),
      );
      const expected = state.revision;
      const result = await appendUntilDefinite(log, clock, random, taskStream(task), events, { expected });
      if (result.kind === 'appended') return;
    }
    throw new LogUnavailable('the task is being written all the time');
  }

  private async load(task: TaskId, project: ProjectId): Promise<TaskState> {
    const state = isTaskId(task) ? await loadTask(this.ports.log, task) : null;
    if (state === null || state === 'erased' || state.project !== project) throw notFound('the task');
    return state;
  }
}
