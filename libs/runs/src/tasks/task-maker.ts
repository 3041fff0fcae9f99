import { type TaskEvent, taskId, taskStream, type ProjectId, type RunId, type SessionId } from '#domain';
import { type EventLog, type EventMeta, appendUntilDefinite, newEvent } from '#event-log';
import type { Clock, Random } from '#platform';
import type { RequestEvent } from '../load-session.js';

/** Makes the tasks that a run's request brings. They follow from the request alone, so making them again changes nothing. */
export class TaskMaker {
  constructor(
    private readonly ports: { readonly log: EventLog; readonly clock: Clock; readonly random: Random },
  ) {}

  /** Resolves when they are on the log. @throws LogUnavailable */
  async make(session: SessionId, request: RequestEvent): Promise<void> {
    const { schedules = [] } = request.data;
    await Promise.all(schedules.map((_, index) => this.makeOne(session, request, index)));
  }

  private async makeOne(session: SessionId, request: RequestEvent, index: number): Promise<void> {
    const { log, clock, random } = this.ports;
    const { data, meta, revision: requested, time } = request;
    const { run = '', project, actor } = meta;
    const schedule = data.schedules?.[index];
    if (schedule === undefined) return;
    const task = taskId(run, index);
    const event = {
      type: 'task_scheduled',
      data: { ...schedule, task, session, run, requested },
    } satisfies TaskEvent;
    // The time of the request: whoever makes it later makes the same.
    const made = newEvent({ id: random.uuid(), time, ...event }, metaOf(project, actor, run));
    // A conflict means that it is there already.
    await appendUntilDefinite(log, clock, random, taskStream(task), [made], { expected: 'no_stream' });
  }
}

const metaOf = (project: ProjectId, actor: string, run: RunId): EventMeta => ({
  schemaVersion: 1,
  project,
  actor,
  causationId: run,
});
