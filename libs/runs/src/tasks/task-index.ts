import type { Revision, SessionId, TaskId } from '#domain';
import type { Position } from '#event-log';

/** Tasks as the lists knew them at a position of the log. */
export interface TaskSnapshot {
  /** Those that have a next slot. */
  readonly tasks: readonly KnownTask[];
  readonly position: Position;
}

export interface KnownTask {
  readonly task: TaskId;
  /** ms since 1970 */
  readonly nextAt: number;
  /** Of the task's latest event. */
  readonly revision: Revision;
}

/** Where tasks are looked up. It may be late and may name too many; the log decides. */
export abstract class TaskIndex {
  abstract scheduled(): Promise<TaskSnapshot>;
  /** Requests with a task that was not made. */
  abstract unmade(): Promise<readonly { readonly session: SessionId; readonly requested: Revision }[]>;
  /** Tasks that fired before this time and whose run is not there. */
  abstract unstarted(before: number): Promise<readonly string[]>;
}
