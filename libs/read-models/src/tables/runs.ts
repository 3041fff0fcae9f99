import type { Mode, ProjectId, Revision, RunId, RunMetadata, RunWarning, SessionId, Trigger } from '#domain';
import type { RunError, RunStatus } from '#projections';
import {
  type Field,
  type RowOf,
  changing,
  integer,
  mapped,
  nullable,
  parted,
  sealed,
  table,
  text,
  truth,
  whole,
} from '#postgres';
import { callSums } from './call-sums.js';

/** Each is null where there is no error. */
type ErrorParts = { readonly [P in keyof RunError]: RunError[P] | null };

const error: Field<RunError | null> = parted(
  {
    code: nullable(text('error_code')),
    message: nullable(sealed('error_message')),
    retryable: nullable(truth('error_retryable')),
  },
  (value: RunError | null): ErrorParts => value ?? { code: null, message: null, retryable: null },
  ({ code, message, retryable }) =>
    code === null ? null : { code, message: message ?? '', retryable: retryable === true },
);

/** A JSON list; null: it is empty. */
const warnings: Field<readonly RunWarning[]> = mapped(
  nullable(sealed('warnings')),
  (list) => (list.length === 0 ? null : JSON.stringify(list)),
  (stored) => (stored === null ? [] : (JSON.parse(stored) as RunWarning[])),
);

/** JSON; null: nothing was said. */
const metadata: Field<RunMetadata> = mapped(
  nullable(sealed('metadata')),
  (said) => (Object.keys(said).length === 0 ? null : JSON.stringify(said)),
  (stored) => (stored === null ? {} : (JSON.parse(stored) as RunMetadata)),
);

export const RUNS = table(
  'runs',
  { key: ['run_id'], scope: 'session' },
  {
    run: text<RunId>('run_id'),
    session: text<SessionId>('session'),
    project: text<ProjectId>('project'),
    /** Revision of its `run_requested`; a second one of the same run changes nothing. */
    requested: integer<Revision>('requested'),
    status: changing(text<RunStatus>('status')),
    mode: text<Mode>('mode'),
    model: text('model'),
    trigger: text<Trigger>('trigger'),
    actor: text('actor'),
    retryOf: nullable(text('retry_of')),
    replayOf: nullable(text('replay_of')),
    /** Calls of a replay that the record holds no result of. */
    drift: changing(nullable(integer('drift'))),
    /** ms since 1970, as all times. */
    createdAt: whole('created_at'),
    startedAt: changing(nullable(whole('started_at'))),
    /** When the first of what the model said was stored; null, too, of runs from before there was this column. */
    firstTokenAt: changing(nullable(whole('first_token_at'))),
    endedAt: changing(nullable(whole('ended_at'))),
    spent: changing(callSums),
    error: changing(error),
    /** Revision of its last public event, as of the last write of this row. */
    lastEventId: changing(nullable(integer('last_event_id'))),
    /** What it had to do without. */
    warnings: changing(warnings),
    /** What its caller says of it. */
    metadata,
  },
);

/** A run as its table knows it. */
export type RunRow = RowOf<typeof RUNS>;
