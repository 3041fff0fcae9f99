import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A row of messages holds all that one commit of the projection adds to a session, as `message-parts.ts` says. Rows with a
 * type are older: one message each. The column has a new name, so that a replica of the version before, which cannot
 * read such rows, is refused and takes the history from the log.
 */
export class MessageParts1763888400000 implements MigrationInterface {
  name = 'MessageParts1763888400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE annals.messages RENAME COLUMN content TO contents`);
    await runner.query(
      `ALTER TABLE annals.messages ALTER COLUMN type DROP NOT NULL, ALTER COLUMN is_file DROP NOT NULL`,
    );
  }

  /** What was written since is lost: a rebuild brings it back. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM annals.messages WHERE type IS NULL`);
    await runner.query(
      `ALTER TABLE annals.messages ALTER COLUMN type SET NOT NULL, ALTER COLUMN is_file SET NOT NULL`,
    );
    await runner.query(`ALTER TABLE annals.messages RENAME COLUMN contents TO content`);
  }
}
