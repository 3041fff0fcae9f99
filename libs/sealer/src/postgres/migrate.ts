import { type TransactionClient, sql, statement } from '#postgres';
import type { ProofDatabase } from './proof-database.js';
import { TAKE_LOCK } from './statements.js';
import { SCHEMA, TABLES, VERSION } from './tables.js';

const READ_COMMENT = statement(sql<void>`
  SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = ${() => SCHEMA}`);

/** Makes the tables where they are missing or of another version; the log fills them. */
export async function migrateProof(database: ProofDatabase): Promise<void> {
  await database.transaction(async (client) => {
    await client.query(TAKE_LOCK());
    if ((await versionOf(client)) === VERSION) return true;
    await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    await client.query(`CREATE SCHEMA ${SCHEMA}`);
    for (const table of TABLES) await client.query(table);
    await client.query(`COMMENT ON SCHEMA ${SCHEMA} IS 'version ${VERSION}'`);
    return true;
  });
}

async function versionOf(client: TransactionClient): Promise<number> {
  const { rows } = await client.query<{ comment: string | null }>(READ_COMMENT());
  return Number(/^version (\d+)$/.exec(rows[0]?.comment ?? '')?.[1] ?? 0);
}
