import type { Database } from '../postgres/database.js';
import { SCHEMA } from '../postgres/schema.js';

/** When keys were last used. No event says so, and nothing is decided by it. */
export class KeyUseTable {
  constructor(private readonly database: Database) {}

  /** @throws ReadModelsUnavailable */
  async record(uses: ReadonlyMap<string, number>): Promise<void> {
    await this.database.query({
      text: `INSERT INTO ${SCHEMA}.api_key_uses AS old (key_id, last_used_at)
        SELECT * FROM unnest($1::text[], $2::bigint[])
        ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(old.last_used_at, EXCLUDED.last_used_at)`,
      values: [[...uses.keys()], [...uses.values()]],
    });
  }

  /** ms since 1970. @throws ReadModelsUnavailable */
  async of(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.database.query({
      text: `SELECT key_id, last_used_at FROM ${SCHEMA}.api_key_uses WHERE key_id = ANY ($1)`,
      values: [keyIds],
    });
    return new Map(
      (rows as readonly { key_id: string; last_used_at: string }[]).map(({ key_id, last_used_at }) => [
        key_id,
        Number(last_used_at),
      ]),
    );
  }
}
