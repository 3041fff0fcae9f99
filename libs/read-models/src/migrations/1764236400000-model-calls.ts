import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What model calls used and cost: a row a call, which an erasure leaves, and sums with each run. And what callers say of their
 * runs: sealed with the run, and as tokens to search for. The rows of earlier calls are made from the log.
 */
export class ModelCalls1764236400000 implements MigrationInterface {
  name = 'ModelCalls1764236400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE annals.run_metadata');
    await runner.query('DROP TABLE annals.model_calls');
    await runner.query(`ALTER TABLE annals.runs DROP COLUMN cached_input_tokens, DROP COLUMN cache_write_tokens,
      DROP COLUMN reasoning_tokens, DROP COLUMN model_calls, DROP COLUMN estimated_calls,
      DROP COLUMN unpriced_calls, DROP COLUMN metadata`);
  }
}

const STATEMENTS = [
  `ALTER TABLE annals.runs
    ADD COLUMN cached_input_tokens bigint,
    ADD COLUMN cache_write_tokens bigint,
    ADD COLUMN reasoning_tokens bigint,
    ADD COLUMN model_calls integer NOT NULL DEFAULT 0,
    ADD COLUMN estimated_calls integer NOT NULL DEFAULT 0,
    ADD COLUMN unpriced_calls integer NOT NULL DEFAULT 0,
    ADD COLUMN metadata bytea`,
  `CREATE TABLE annals.model_calls (
    run_id text NOT NULL,
    revision integer NOT NULL,
    part integer NOT NULL,
    time bigint NOT NULL,
    project text NOT NULL,
    key text NOT NULL,
    session text NOT NULL,
    mode text NOT NULL,
    model text NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cached_input_tokens bigint,
    cache_write_tokens bigint,
    reasoning_tokens bigint,
    model_calls integer NOT NULL,
    estimated_calls integer NOT NULL,
    unpriced_calls integer NOT NULL,
    cost numeric(38, 12) NOT NULL,
    PRIMARY KEY (run_id, revision, part)
  )`,
  'CREATE INDEX ON annals.model_calls (project, time)',
  'CREATE INDEX ON annals.model_calls (key, time)',
  `CREATE TABLE annals.run_metadata (
    run_id text NOT NULL,
    key_token text NOT NULL,
    token text NOT NULL,
    project text NOT NULL,
    session text NOT NULL,
    PRIMARY KEY (run_id, key_token)
  )`,
  'CREATE INDEX ON annals.run_metadata (project, token)',
  'CREATE INDEX ON annals.run_metadata (session)',
  `INSERT INTO annals.wanted_rebuilds SELECT 'model calls' WHERE EXISTS (SELECT FROM annals.sessions)`,
];
