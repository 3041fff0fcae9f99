import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks as the lists show them. Times are ms since 1970; `message` is bytea that only ContentCodec understands. */
export class Tasks1763802000000 implements MigrationInterface {
  name = 'Tasks1763802000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE annals.tasks');
  }
}

const STATEMENTS = [
  `CREATE TABLE annals.tasks (
    task_id text PRIMARY KEY,
    session text NOT NULL,
    project text NOT NULL,
    created_at bigint NOT NULL,
    given text NOT NULL,
    timezone text,
    message bytea NOT NULL,
    message_is_file boolean NOT NULL,
    requested integer NOT NULL,
    status text NOT NULL,
    next_at bigint,
    firings text NOT NULL,
    last_fired_at bigint,
    last_run text,
    started_run text,
    revision integer NOT NULL
  )`,
  'CREATE INDEX ON annals.tasks (project, created_at, task_id)',
  'CREATE INDEX ON annals.tasks (session)',
  // What a crash left between two streams: few, or none.
  'CREATE INDEX ON annals.tasks (task_id) WHERE revision < 0',
  `CREATE INDEX ON annals.tasks (last_fired_at)
    WHERE last_run IS NOT NULL AND last_run IS DISTINCT FROM started_run`,
];
