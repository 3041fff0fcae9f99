import type { ProjectId, Revision, RunId, SessionId } from '#domain';
import { type RowOf, changing, integer, nullable, table, text, truth, whole } from '#postgres';

/** A run with a callback, and which kinds of deliveries it may have; the deliveries themselves are read from the log. */
export const CALLBACKS = table(
  'callbacks',
  { key: ['run_id'], scope: 'session' },
  {
    run: text<RunId>('run_id'),
    session: text<SessionId>('session'),
    project: text<ProjectId>('project'),
    /** Revision of its `run_requested`. */
    requested: integer<Revision>('requested'),
    /** ms since 1970 */
    createdAt: whole('created_at'),
    /** Something is still to be sent. */
    isOpen: changing(truth('is_open')),
    hasFailed: changing(truth('has_failed')),
    /** Its later deliveries are not sent. */
    isStopped: changing(truth('is_stopped')),
    /** When something was sent last, or asked for again; null: never. */
    changedAt: changing(nullable(whole('changed_at'))),
  },
);

export type CallbackRow = RowOf<typeof CALLBACKS>;
