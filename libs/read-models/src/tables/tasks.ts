import type { Firing, ProjectId, Revision, SessionId, TaskId, TaskStatus } from '#domain';
import { type RowOf, changing, integer, json, nullable, table, text, whole } from '#postgres';
import { content } from './contents.js';

export const TASKS = table(
  'tasks',
  { key: ['task_id'], scope: 'session' },
  {
    task: text<TaskId>('task_id'),
    session: text<SessionId>('session'),
    project: text<ProjectId>('project'),
    /** ms since 1970, as all times. */
    createdAt: whole('created_at'),
    /** The schedule as the request gave it. */
    given: json<number | string>(text('given')),
    timezone: nullable(text('timezone')),
    message: content('message', 'message_is_file'),
    /** Revision of the `run_requested` that brought it. */
    requested: integer<Revision>('requested'),
    status: changing(text<TaskStatus>('status')),
    nextAt: changing(nullable(whole('next_at'))),
    /** The newest 100, newest last. */
    firings: changing(json<readonly Firing[]>(text('firings'))),
    /** Of the newest slot that fired. */
    lastFiredAt: changing(nullable(whole('last_fired_at'))),
    lastRun: changing(nullable(text('last_run'))),
    /** The newest of its runs that is there. */
    startedRun: changing(nullable(text('started_run'))),
    /** Of the newest event of its own stream. */
    revision: changing(integer('revision')),
    /** Key id. */
    actor: changing(text('actor')),
  },
);

/** A task as its table knows it. */
export type TaskRow = RowOf<typeof TASKS>;
