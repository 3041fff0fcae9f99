import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The runs that have a callback, so that their deliveries can be listed together. Those of earlier runs are made from the log. */
export class Callbacks1764668800000 implements MigrationInterface {
  name = 'Callbacks1764668800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE annals.callbacks');
  }
}

const STATEMENTS = [
  `CREATE TABLE annals.callbacks (
    run_id text PRIMARY KEY,
    session text NOT NULL,
    project text NOT NULL,
    requested integer NOT NULL,
    created_at bigint NOT NULL,
    is_open boolean NOT NULL,
    has_failed boolean NOT NULL,
    is_stopped boolean NOT NULL,
    changed_at bigint
  )`,
  'CREATE INDEX ON annals.callbacks (project, created_at DESC, run_id DESC)',
  'CREATE INDEX ON annals.callbacks (session)',
  'CREATE INDEX ON annals.callbacks (project, created_at DESC) WHERE has_failed',
  'CREATE INDEX ON annals.callbacks (project, created_at DESC) WHERE is_stopped',
  'CREATE INDEX ON annals.callbacks (project, created_at DESC) WHERE is_open',
  `INSERT INTO annals.wanted_rebuilds SELECT 'callbacks' WHERE EXISTS (SELECT FROM annals.sessions)`,
];
