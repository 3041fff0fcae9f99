import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What runs ask of people and programs, as the lists show it. Times are ms since 1970; `question` and `verdict` are bytea that
 * only ContentCodec understands. No version before wrote events of actions, so there is nothing to fill in.
 */
export class Actions1764151200000 implements MigrationInterface {
  name = 'Actions1764151200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX annals.unfinished_runs');
    await runner.query('DROP TABLE annals.actions');
  }
}

const STATEMENTS = [
  `CREATE TABLE annals.actions (
    action_id text PRIMARY KEY,
    session text NOT NULL,
    project text NOT NULL,
    run_id text NOT NULL,
    kind text NOT NULL,
    asked integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    question bytea NOT NULL,
    question_is_file boolean NOT NULL,
    status text NOT NULL,
    decision text,
    actor text,
    verdict bytea,
    verdict_is_file boolean,
    resolved_at bigint,
    over_at bigint
  )`,
  'CREATE INDEX ON annals.actions (project, created_at, action_id)',
  'CREATE INDEX ON annals.actions (project, status, created_at, action_id)',
  'CREATE INDEX ON annals.actions (session, run_id)',
  // Those that are open, few among many: of runs that end, and of which the time is over.
  `CREATE INDEX ON annals.actions (run_id) WHERE status = 'open'`,
  `CREATE INDEX ON annals.actions (expires_at) WHERE status = 'open'`,
  // Runs that are not over, those that wait for somebody among them.
  `CREATE INDEX unfinished_runs ON annals.runs (session, status)
    WHERE status IN ('queued', 'running', 'waiting') OR (status = 'cancelled' AND last_event_id IS NULL)`,
];
