import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The run that a retry goes on with. */
export class RunRetries1764151300000 implements MigrationInterface {
  name = 'RunRetries1764151300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs ADD COLUMN retry_of text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs DROP COLUMN retry_of');
  }
}
