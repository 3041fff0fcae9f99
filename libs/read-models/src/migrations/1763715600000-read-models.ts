import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions, runs, messages and API keys as the lists show them. Times are ms since 1970. Columns of content are bytea
 * that only ContentCodec understands. Indexes are not named, so that PostgreSQL names them the same way in the tables
 * of a rebuild (CREATE TABLE … LIKE … INCLUDING ALL). No foreign keys: each table can be filled alone.
 */
export class ReadModels1763715600000 implements MigrationInterface {
  name = 'ReadModels1763715600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['sessions', 'runs', 'messages', 'api_keys', 'parked_streams', 'checkpoints'])
      await runner.query(`DROP TABLE annals.${table}`);
  }
}

const STATEMENTS = [
  `CREATE TABLE annals.sessions (
    session text PRIMARY KEY,
    project text NOT NULL,
    title bytea,
    created_at bigint NOT NULL,
    last_run text,
    last_status text,
    cost numeric(38, 12) NOT NULL,
    message_count integer NOT NULL,
    has_open_text boolean NOT NULL,
    folded_to integer NOT NULL,
    is_hidden boolean NOT NULL
  )`,
  'CREATE INDEX ON annals.sessions (project, created_at, session)',
  `CREATE TABLE annals.runs (
    run_id text PRIMARY KEY,
    session text NOT NULL,
    project text NOT NULL,
    requested integer NOT NULL,
    status text NOT NULL,
    mode text NOT NULL,
    model text NOT NULL,
    trigger text NOT NULL,
    actor text NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    cost numeric(38, 12) NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    error_code text,
    error_message bytea,
    error_retryable boolean,
    last_event_id integer
  )`,
  'CREATE INDEX ON annals.runs (project, created_at, run_id)',
  'CREATE INDEX ON annals.runs (project, status, created_at, run_id)',
  'CREATE INDEX ON annals.runs (session, requested)',
  // Runs that are not over, few among many.
  `CREATE INDEX ON annals.runs (session, status)
    WHERE status IN ('queued', 'running') OR (status = 'cancelled' AND last_event_id IS NULL)`,
  `CREATE TABLE annals.messages (
    session text NOT NULL,
    revision integer NOT NULL,
    type text NOT NULL,
    is_file boolean NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (session, revision)
  )`,
  `CREATE TABLE annals.api_keys (
    id text PRIMARY KEY,
    project text NOT NULL,
    name text NOT NULL,
    scopes text NOT NULL,
    hash text NOT NULL,
    webhook_secret text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  )`,
  'CREATE INDEX ON annals.api_keys (project, created_at, id)',
  'CREATE INDEX ON annals.api_keys (hash)',
  `CREATE TABLE annals.parked_streams (
    stream text PRIMARY KEY,
    revision integer NOT NULL,
    reason text NOT NULL
  )`,
  `CREATE TABLE annals.checkpoints (
    name text PRIMARY KEY,
    log_id text NOT NULL,
    position bigint NOT NULL
  )`,
];
