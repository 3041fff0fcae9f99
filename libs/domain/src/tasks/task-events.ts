import type { Content } from '../content.js';
import type { Mode, RunConfig } from '../run-config.js';
import type { Schedule } from './schedule.js';

/** Events of a `task-` stream. */
export type TaskEvent =
  | {
      readonly type: 'task_scheduled';
      readonly data: {
        readonly task: string;
        readonly session: string;
        /** The run whose request brought the schedule. */
        readonly run: string;
        /** As the request gave it. */
        readonly given: number | string;
        readonly timezone?: string;
        readonly schedule: Schedule;
        readonly message: Content;
        readonly mode: Mode;
        readonly config: RunConfig;
      };
    }
  /** A slot is taken: the run with this id is to be there. */
  | {
      readonly type: 'task_fired';
      readonly data: { readonly slot: number; readonly run: string; readonly late?: true };
    }
  /** Slots that did not fire: the newest of them, and how many there were. */
  | {
      readonly type: 'task_missed';
      readonly data: { readonly slots: readonly number[]; readonly count: number };
    }
  | { readonly type: 'task_paused'; readonly data: Readonly<Record<string, never>> }
  | { readonly type: 'task_resumed'; readonly data: Readonly<Record<string, never>> }
  | { readonly type: 'task_cancelled'; readonly data: Readonly<Record<string, never>> }
  | { readonly type: 'task_finished'; readonly data: Readonly<Record<string, never>> };

export type TaskStatus = 'scheduled' | 'paused' | 'finished' | 'cancelled';

export type RecordedTaskEvent = TaskEvent & {
  readonly revision: number;
  /** ms since 1970 */
  readonly time: number;
  readonly meta: { readonly project: string; readonly actor: string };
};
