import { arrays, raw, sql, statement } from '#postgres';
import type { Database } from '../postgres/database.js';
import { SCHEMA } from '../postgres/schema.js';

type Uses = ReadonlyMap<string, number>;

const TABLE = raw(`${SCHEMA}.api_key_uses`);

const RECORD = statement(sql<Uses>`
  INSERT INTO ${TABLE} AS old (key_id, last_used_at)
  SELECT * FROM unnest(
    ${(uses) => arrays.texts([...uses.keys()])}::text[],
    ${(uses) => arrays.bigints([...uses.values()])}::bigint[]
  )
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(old.last_used_at, EXCLUDED.last_used_at)`);

const READ = statement(sql<readonly string[]>`
  SELECT key_id, last_used_at FROM ${TABLE} WHERE key_id = ANY (${(keyIds) => keyIds})`);

/** When keys were last used. No event says so, and nothing is decided by it. */
export class KeyUseTable {
  constructor(private readonly database: Database) {}

  /** @throws ReadModelsUnavailable */
  async record(uses: Uses): Promise<void> {
    await this.database.query(RECORD(uses));
  }

  /** ms since 1970. @throws ReadModelsUnavailable */
  async of(keyIds: readonly string[]): Promise<Uses> {
    const { rows } = await this.database.query(READ(keyIds));
    return new Map(
      (rows as readonly { key_id: string; last_used_at: string }[]).map(({ key_id, last_used_at }) => [
        key_id,
        Number(last_used_at),
      ]),
    );
  }
}
