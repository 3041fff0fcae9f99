import type { MigrationInterface, QueryRunner } from 'typeorm';

const REASON = 'messages of one event';

/** Of what one request brought, all versions before this one kept the first 32 KB in the rows of histories. */
export class MessagesOfOneEvent1764755200000 implements MigrationInterface {
  name = 'MessagesOfOneEvent1764755200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO annals.wanted_rebuilds SELECT '${REASON}' WHERE EXISTS (SELECT FROM annals.sessions) ON CONFLICT DO NOTHING`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM annals.wanted_rebuilds WHERE reason = '${REASON}'`);
  }
}
