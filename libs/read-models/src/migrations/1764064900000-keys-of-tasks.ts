import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whose each task is, so that those of a key are found when it is revoked; and when a key was last used, which stands on no
 * log and is no part of a rebuild.
 */
export class KeysOfTasks1764064900000 implements MigrationInterface {
  name = 'KeysOfTasks1764064900000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE annals.api_key_uses');
    await runner.query('ALTER TABLE annals.tasks DROP COLUMN actor');
  }
}

const STATEMENTS = [
  // A replica of the version before leaves it empty; the run that brought the task says the same.
  `ALTER TABLE annals.tasks ADD COLUMN actor text NOT NULL DEFAULT ''`,
  `UPDATE annals.tasks t SET actor = r.actor FROM annals.runs r
    WHERE r.session = t.session AND r.requested = t.requested`,
  `CREATE INDEX ON annals.tasks (actor) WHERE status = 'scheduled'`,
  `CREATE TABLE annals.api_key_uses (key_id text PRIMARY KEY, last_used_at bigint NOT NULL)`,
];
