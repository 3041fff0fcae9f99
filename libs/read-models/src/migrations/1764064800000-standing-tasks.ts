import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks of a project that may fire again are counted at each request that brings others; most rows are of finished ones. */
export class StandingTasks1764064800000 implements MigrationInterface {
  name = 'StandingTasks1764064800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX standing_tasks ON annals.tasks (project) WHERE status IN ('scheduled', 'paused')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX annals.standing_tasks');
  }
}
