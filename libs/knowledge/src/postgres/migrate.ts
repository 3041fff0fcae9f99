import type { Logger } from '#platform';
import { type TransactionClient, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { SCHEMA, TABLES, VERSION, trigramIndex } from './tables.js';
import { upgradeFrom2 } from './upgrade.js';

/** Advisory lock of the migration; any number that nobody else takes. */
const LOCK = 0x6b6e6f77;
const TAKE_LOCK = statement(sql<void>`SELECT pg_advisory_xact_lock(${() => LOCK})`);

/**
 * Makes the tables where they are missing or of another version. They hold nothing that the log and the files do not:
 * an empty checkpoint fills them again. Returns the schema of pg_trgm, or null where it cannot be had.
 */
export async function migrate(database: KnowledgeDatabase, logger: Logger): Promise<string | null> {
  const trigrams = await trigramSchema(database, logger);
  await database.transaction(async (client) => {
    await client.query(TAKE_LOCK());
    const version = await versionOf(client);
    if (version === VERSION) return true;
    await (version === 2 ? upgradeFrom2(client) : makeTables(client, trigrams));
    await client.query(`COMMENT ON SCHEMA ${SCHEMA} IS 'version ${VERSION}'`);
    return true;
  });
  return trigrams;
}

async function makeTables(client: TransactionClient, trigrams: string | null): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  await client.query(`CREATE SCHEMA ${SCHEMA}`);
  for (const table of TABLES) await client.query(table);
  if (trigrams !== null) await client.query(trigramIndex(trigrams));
}

const READ_COMMENT = statement(sql<void>`
  SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = ${() => SCHEMA}`);

async function versionOf(client: TransactionClient): Promise<number> {
  const { rows } = await client.query<{ comment: string | null }>(READ_COMMENT());
  return Number(/^version (\d+)$/.exec(rows[0]?.comment ?? '')?.[1] ?? 0);
}

/** An account that may not create extensions has search without tolerance for typing errors. */
async function trigramSchema(database: KnowledgeDatabase, logger: Logger): Promise<string | null> {
  try {
    await database.query({ text: 'CREATE EXTENSION IF NOT EXISTS pg_trgm' });
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error;
    logger.warn({ err: error }, 'pg_trgm cannot be created: search does not forgive typing errors');
  }
  const { rows } = await database.query({
    text: `SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm'`,
  });
  return (rows[0] as { nspname: string } | undefined)?.nspname ?? null;
}
