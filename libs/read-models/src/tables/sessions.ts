import type { ProjectId, Revision, SessionId, SessionMoment } from '#domain';
import type { RunStatus } from '#projections';
import {
  type Field,
  type RowOf,
  changing,
  integer,
  nullable,
  parted,
  sealed,
  table,
  text,
  truth,
  whole,
} from '#postgres';
import { dollars } from './dollars.js';

/** Each is null where the session is no fork. */
type MomentParts = { readonly [P in keyof SessionMoment]: SessionMoment[P] | null };

const forkedFrom: Field<SessionMoment | null> = parted(
  { session: nullable(text<SessionId>('forked_from')), at: nullable(integer<Revision>('forked_at')) },
  (value: SessionMoment | null): MomentParts => value ?? { session: null, at: null },
  ({ session, at }) => (session === null || at === null ? null : { session, at }),
);

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
    forkedFrom,
    /** What it was forked from stands in its history. */
    inherits: changing(truth('inherits')),
  },
);

/** A session as its table knows it. */
export type SessionRow = RowOf<typeof SESSIONS>;
