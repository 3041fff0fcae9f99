import {
  type Checkpoint,
  type PostgresCheckpoints,
  type RowOf,
  type Sql,
  arrays,
  raw,
  sql,
  statement,
  writeRows,
} from '#postgres';
import type { ContentSealer } from '../content-codec.js';
import type { Changes } from '../projection/rows.js';
import { ACTIONS } from '../tables/actions.js';
import { API_KEYS } from '../tables/api-keys.js';
import { CALLBACKS } from '../tables/callbacks.js';
import { MESSAGES } from '../tables/messages.js';
import { MODEL_CALLS } from '../tables/model-calls.js';
import { PARKED_STREAMS } from '../tables/parked-streams.js';
import { RUN_METADATA } from '../tables/run-metadata.js';
import { RUNS } from '../tables/runs.js';
import { SESSIONS } from '../tables/sessions.js';
import { TASKS } from '../tables/tasks.js';

/** What the projection writes at once. */
export interface Commit {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  readonly changes: Changes;
  readonly messages: readonly RowOf<typeof MESSAGES>[];
  readonly sealer: ContentSealer;
}

interface ClosedActions {
  readonly actions: readonly string[];
  readonly runs: readonly string[];
}

const sealer = (commit: Commit): ContentSealer => commit.sealer;

/** The statements of the projection, over the tables of one schema. */
export function statementsFor(name: string, checkpoint: PostgresCheckpoints) {
  const schema = raw(name);
  return {
    commit: commitStatement(schema, name, checkpoint),
    ...othersFor(schema),
    loadParked: statement(sql<void>`SELECT stream, revision, reason FROM ${schema}.parked_streams`),
    loadSessions: statement(
      sql<
        readonly string[]
      >`SELECT * FROM ${schema}.sessions WHERE session = ANY (${(sessions) => sessions})`,
    ),
    loadTasks: statement(
      sql<readonly string[]>`SELECT * FROM ${schema}.tasks WHERE task_id = ANY (${(tasks) => tasks})`,
    ),
    /** Those named, and those of the runs that are open. */
    loadActions: statement(
      sql<ClosedActions>`SELECT * FROM ${schema}.actions WHERE action_id = ANY (${({ actions }) => actions})
  OR (status = 'open' AND run_id = ANY (${({ runs }) => runs}))`,
    ),
    loadCallbacks: statement(
      sql<readonly string[]>`SELECT * FROM ${schema}.callbacks WHERE run_id = ANY (${(runs) => runs})`,
    ),
    /** The runs of sessions that may still change and the newest of the others. */
    loadRuns: statement(
      sql<readonly string[]>`
SELECT r.* FROM unnest(${(sessions) => sessions}::text[]) AS s(session) CROSS JOIN LATERAL (
  (SELECT * FROM ${schema}.runs WHERE session = s.session ORDER BY requested DESC LIMIT 64)
  UNION
  (SELECT * FROM ${schema}.runs WHERE session = s.session
    AND (status IN ('queued', 'running', 'waiting') OR (status = 'cancelled' AND last_event_id IS NULL)))
) r ORDER BY r.requested`,
    ),
  };
}

/**
 * A batch is one statement, so rows and checkpoint are one transaction and one round trip; nothing is written unless the
 * checkpoint stood where the batch begins (`moved`).
 */
function commitStatement(schema: Sql<unknown>, name: string, { move }: PostgresCheckpoints) {
  const when = sql<Commit>`EXISTS (SELECT FROM moved)`;
  const write = { schema, sealer, when };
  return statement(
    sql<Commit>`
WITH moved AS (
  ${move} RETURNING 1
), cleared AS (
  DELETE FROM ${schema}.messages m
  USING unnest(
    ${({ changes }) => arrays.texts(changes.cleared.map(({ session }) => session))}::text[],
    ${({ changes }) => arrays.integers(changes.cleared.map(({ revision }) => revision))}::int[]
  ) AS c(session, revision)
  WHERE m.session = c.session AND m.revision <= c.revision AND ${when}
), written_sessions AS (
  ${writeRows(SESSIONS, { ...write, rows: (c: Commit) => c.changes.sessions })}
), written_runs AS (
  ${writeRows(RUNS, {
    ...write,
    rows: (c: Commit) => c.changes.runs,
    // A request that came a second time, long after its run, is another revision and changes nothing.
    replaceIf: raw('old.requested = EXCLUDED.requested'),
  })}
), written_messages AS (
  ${writeRows(MESSAGES, { ...write, rows: (c: Commit) => c.messages })}
), written_calls AS (
  ${writeRows(MODEL_CALLS, { ...write, rows: (c: Commit) => c.changes.modelCalls })}
)
SELECT count(*)::int AS moved FROM moved`,
    `commit ${name}`,
  );
}

/** What changes seldom: it is written beside the statement above, in the same transaction. */
function othersFor(schema: Sql<unknown>) {
  const ofChanges = <K extends keyof Changes>(of: K) =>
    ((c: Commit) => c.changes[of]) as (c: Commit) => Changes[K];
  return {
    writeTasks: statement(
      writeRows(TASKS, {
        schema,
        sealer,
        rows: ofChanges('tasks'),
        // A row of an older revision, from events that come a second time, changes nothing.
        replaceIf: raw('old.revision <= EXCLUDED.revision'),
      }),
    ),
    writeActions: statement(
      writeRows(ACTIONS, {
        schema,
        sealer,
        rows: ofChanges('actions'),
        // What closed one first stays.
        replaceIf: raw(`old.status = 'open'`),
      }),
    ),
    writeCallbacks: statement(writeRows(CALLBACKS, { schema, rows: ofChanges('callbacks') })),
    writeMetadata: statement(writeRows(RUN_METADATA, { schema, rows: ofChanges('metadata') })),
    issueKeys: statement(writeRows(API_KEYS, { schema, rows: ofChanges('keysIssued') })),
    revokeKeys: statement(
      sql<Commit>`
UPDATE ${schema}.api_keys k SET revoked_at = r.at
FROM unnest(
  ${({ changes }) => arrays.texts(changes.keysRevoked.map(({ id }) => id))}::text[],
  ${({ changes }) => arrays.bigints(changes.keysRevoked.map(({ at }) => at))}::bigint[]
) AS r(id, at) WHERE k.id = r.id AND k.revoked_at IS NULL`,
    ),
    park: statement(writeRows(PARKED_STREAMS, { schema, rows: ofChanges('parked') })),
    free: statement(
      sql<Commit>`DELETE FROM ${schema}.parked_streams WHERE stream = ANY (${ofChanges('freed')})`,
    ),
    /** Of these sessions no row is left. They come after the rows of the same batch. */
    erase: ['messages', 'runs', 'run_metadata', 'tasks', 'actions', 'callbacks', 'sessions'].map((table) =>
      statement(
        sql<Commit>`DELETE FROM ${schema}.${raw(table)} WHERE session = ANY (${ofChanges('erased')}::text[])`,
      ),
    ),
  };
}
