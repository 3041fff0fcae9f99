import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a session was forked from, and whether that stands in its history. */
export class SessionForks1764154800000 implements MigrationInterface {
  name = 'SessionForks1764154800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE annals.sessions ADD COLUMN forked_from text, ADD COLUMN forked_at integer, ' +
        'ADD COLUMN inherits boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE annals.sessions DROP COLUMN forked_from, DROP COLUMN forked_at, DROP COLUMN inherits',
    );
  }
}
