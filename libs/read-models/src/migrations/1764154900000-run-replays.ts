import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The run that a replay gives again, and how often it went another way. */
export class RunReplays1764154900000 implements MigrationInterface {
  name = 'RunReplays1764154900000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs ADD COLUMN replay_of text, ADD COLUMN drift integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs DROP COLUMN replay_of, DROP COLUMN drift');
  }
}
