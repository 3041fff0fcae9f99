import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run had to do without: a JSON list, as bytes that only ContentCodec understands. */
export class RunWarnings1764061200000 implements MigrationInterface {
  name = 'RunWarnings1764061200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs ADD COLUMN warnings bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE annals.runs DROP COLUMN warnings');
  }
}
