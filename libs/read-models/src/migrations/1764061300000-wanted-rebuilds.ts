import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Why the tables are to be made anew once. The first reason: a refusal that came inside a block tore its message in two,
 * or dropped it, in the rows of all versions before this one.
 */
export class WantedRebuilds1764061300000 implements MigrationInterface {
  name = 'WantedRebuilds1764061300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE annals.wanted_rebuilds (reason text PRIMARY KEY)');
    await runner.query(
      `INSERT INTO annals.wanted_rebuilds SELECT 'messages around a refusal' WHERE EXISTS (SELECT FROM annals.sessions)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE annals.wanted_rebuilds');
  }
}
