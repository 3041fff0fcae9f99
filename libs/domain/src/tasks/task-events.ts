import type { ProjectId, Revision, RunId, SessionId, TaskId } from '../ids.js';
import { UnknownEventType } from '../read-session-event.js';
import { typedReader } from '../typed-event.js';
import type { ScheduleRequest } from './schedule.js';

/** Events of a `task-` stream. `next_at` is the slot that comes next, in ms since 1970; null: there is none. */
export type TaskEvent =
  | {
      readonly type: 'task_scheduled';
      readonly data: ScheduleRequest & {
        readonly task: TaskId;
        readonly session: SessionId;
        /** The run whose request brought the schedule: firings take its configuration. */
        readonly run: RunId;
        /** Revision of its `run_requested`. */
        readonly requested: Revision;
      };
    }
  /** A slot is taken: the run with this id is to be there. */
  | {
      readonly type: 'task_fired';
      readonly data: {
        readonly slot: number;
        readonly run: RunId;
        readonly late?: true;
        readonly next_at: number | null;
      };
    }
  /** Slots that did not fire: the newest of them, and how many there were, up to 200. */
  | {
      readonly type: 'task_missed';
      readonly data: {
        readonly slots: readonly number[];
        readonly count: number;
        readonly next_at: number | null;
      };
    }
  | {
      readonly type: 'task_paused';
      readonly data: {
        /** By the service, and why: the processes that fired it ended, again and again. */
        readonly reason?: 'deadly';
        /** The firing that it concerns, where its run was not started and will not be; absent: a slot that did not fire. */
        readonly run?: RunId;
        readonly slot?: number;
      };
    }
  | {
      readonly type: 'task_resumed';
      readonly data: {
        readonly next_at: number;
        /** The key in whose name it fired may act no more: from here on it is the resumer's. */
        readonly taken_over?: true;
      };
    }
  | { readonly type: 'task_cancelled'; readonly data: Readonly<Record<string, never>> }
  | { readonly type: 'task_finished'; readonly data: Readonly<Record<string, never>> };

export type TaskStatus = 'scheduled' | 'paused' | 'finished' | 'cancelled';

export type RecordedTaskEvent = TaskEvent & {
  readonly revision: Revision;
  /** ms since 1970 */
  readonly time: number;
  readonly meta: { readonly project: ProjectId; readonly actor: string };
};

const taskEvent = typedReader<TaskEvent>({
  task_scheduled: true,
  task_fired: true,
  task_missed: true,
  task_paused: true,
  task_resumed: true,
  task_cancelled: true,
  task_finished: true,
});

/** Reads a recorded event of a task's stream as what its type says it is. @throws UnknownEventType */
export function asTaskEvent<E extends Omit<RecordedTaskEvent, 'type' | 'data'>>(
  event: E & { readonly type: string; readonly data: object },
): E & RecordedTaskEvent {
  const known = taskEvent(event);
  if (known === null) throw new UnknownEventType(`no event of a task is called ${event.type}`);
  return known;
}
