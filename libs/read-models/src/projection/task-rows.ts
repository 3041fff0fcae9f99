import {
  type RecordedSessionEvent,
  type RecordedTaskEvent,
  type ScheduledTask,
  asTaskEvent,
  lastFiring,
  progressTask,
  taskId,
  taskOfStream,
  type SessionId,
} from '#domain';
import type { EventMeta, RecordedEvent } from '#event-log';
import type { ReadModelStore, TaskRow } from './rows.js';

type Requested = Extract<RecordedSessionEvent, { type: 'run_requested' }>;

/** An event came for a task that nobody knows. */
export class TaskUnknown extends Error {
  override readonly name = 'TaskUnknown';
}

/** No event of the task's own stream was seen. */
export const UNMADE = -1;

/**
 * The tasks that a batch changes. A task has its row as soon as the request that brings it is there, so that one whose
 * stream was not made before a crash is found.
 */
export class TaskRows {
  private readonly rows = new Map<string, TaskRow>();
  private readonly changed = new Set<string>();

  constructor(private readonly store: ReadModelStore) {}

  /** Makes ready the rows that the events are about. */
  async prepare(events: readonly RecordedEvent[]): Promise<void> {
    const wanted = new Set<string>();
    for (const event of events) {
      const task = taskOfStream(event.stream) ?? firedBy(event);
      if (task !== null) wanted.add(task);
    }
    if (wanted.size === 0) return;
    for (const row of await this.store.loadTasks([...wanted])) this.rows.set(row.task, row);
  }

  /** A run's request may bring tasks, and may be the firing of one. */
  pushRequest(session: SessionId, { data, meta, time, revision: requested }: Requested): void {
    const { run = '', project, actor } = meta;
    for (const [index, schedule] of (data.schedules ?? []).entries()) {
      const task = taskId(run, index);
      const definition = { ...schedule, task, session, run, requested };
      if (!this.rows.has(task)) this.set(newRow(definition, { project, actor }, time));
    }
    const fired = data.task === undefined ? undefined : this.rows.get(data.task);
    if (fired !== undefined) this.set({ ...fired, startedRun: run });
  }

  /** @throws TaskUnknown, UnknownEventType */
  pushTask(recorded: RecordedEvent): void {
    const event = asTaskEvent(recorded);
    const task = taskOfStream(recorded.stream) ?? '';
    const row = this.rows.get(task);
    if (event.type === 'task_scheduled') {
      const made = row ?? newRow(event.data, event.meta, event.time);
      if (made.revision < event.revision) this.set({ ...made, revision: event.revision });
    } else if (row === undefined) throw new TaskUnknown(`nothing scheduled ${task}`);
    else if (row.revision < event.revision) this.set(progressed(row, event));
  }

  /** The rows that changed. */
  take(): readonly TaskRow[] {
    return [...this.changed].map((task) => this.rows.get(task)).filter((row) => row !== undefined);
  }

  private set(row: TaskRow): void {
    this.rows.set(row.task, row);
    this.changed.add(row.task);
  }
}

const firedBy = (event: RecordedEvent): string | null =>
  event.type === 'run_requested' && !event.isUnreadable
    ? ((event.data as Requested['data']).task ?? null)
    : null;

function progressed(row: TaskRow, event: Exclude<RecordedTaskEvent, { type: 'task_scheduled' }>): TaskRow {
  const after = progressTask(row, event);
  const last = lastFiring(after);
  const lastRun = last?.run ?? row.lastRun;
  // Nobody is to look for it any more.
  const startedRun = last?.failure === undefined ? row.startedRun : lastRun;
  return { ...after, lastRun, startedRun, lastFiredAt: last?.firedAt ?? row.lastFiredAt };
}

const newRow = (
  definition: ScheduledTask,
  { project, actor }: Pick<EventMeta, 'project' | 'actor'>,
  createdAt: number,
): TaskRow => ({
  task: definition.task,
  session: definition.session,
  project,
  actor,
  createdAt,
  given: definition.given,
  timezone: definition.timezone ?? null,
  message: definition.message,
  requested: definition.requested,
  status: 'scheduled',
  nextAt: definition.next_at,
  firings: [],
  lastFiredAt: null,
  lastRun: null,
  startedRun: null,
  revision: UNMADE,
});
