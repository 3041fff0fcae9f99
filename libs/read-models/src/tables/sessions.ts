import type { ProjectId, RunStatus, SessionId } from '#domain';
import { type RowOf, changing, integer, nullable, sealed, table, text, truth, whole } from '#postgres';
import { dollars } from './dollars.js';

export const SESSIONS = table(
  'sessions',
  { key: ['session'], scope: 'session' },
  {
    session: text<SessionId>('session'),
    project: text<ProjectId>('project'),
    title: changing(nullable(sealed('title'))),
    /** ms since 1970 */
    createdAt: whole('created_at'),
    /** The run that was requested last, and its status. */
    lastRun: changing(nullable(text('last_run'))),
    lastStatus: changing(nullable(text<RunStatus>('last_status'))),
    cost: changing(dollars('cost')),
    /** Messages that have a row. */
    messageCount: changing(integer('message_count')),
    /** A block is being written that has text already: one message more. */
    hasOpenText: changing(truth('has_open_text')),
    /** All messages that began up to this revision are complete and have their rows. A fold may go on after it. */
    foldedTo: changing(integer('folded_to')),
    /** What follows `foldedTo` is hidden until a run starts, because the messages were cleared. */
    isHidden: changing(truth('is_hidden')),
  },
);

/** A session as its table knows it. */
export type SessionRow = RowOf<typeof SESSIONS>;
