import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a run's model said the first of what it said. */
export class FirstTokens1764755100000 implements MigrationInterface {
  name = 'FirstTokens1764755100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs ADD COLUMN first_token_at bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs DROP COLUMN first_token_at');
  }
}
