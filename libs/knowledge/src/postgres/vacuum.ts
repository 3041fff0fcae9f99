import type { TransactionClient } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { SCHEMA } from './tables.js';

/** Takes a second or two, in which a search waits. */
const WRITTEN_ANEW_BYTES = 32 * 1024 * 1024;
const VACUUM_MS = 60_000;
const MARK = 'vacuum';

/** In the transaction that deletes: a process that dies before the vacuum leaves it to the next. */
export async function markVacuumDue(client: TransactionClient): Promise<void> {
  await client.query(
    `INSERT INTO ${SCHEMA}.checkpoints (name, log_id, position) VALUES ($1, '', 0) ON CONFLICT DO NOTHING`,
    [MARK],
  );
}

export async function isVacuumDue(database: KnowledgeDatabase): Promise<boolean> {
  const { rowCount } = await database.query({
    text: `SELECT 1 FROM ${SCHEMA}.checkpoints WHERE name = $1`,
    values: [MARK],
  });
  return rowCount === 1;
}

/**
 * What was deleted leaves the tables. PostgreSQL only lets its place be used again; a small table is written anew, so
 * that nothing of it is left. Of our own server's write-ahead log nothing is kept either.
 */
export async function vacuum(database: KnowledgeDatabase): Promise<void> {
  await database.query({ text: `DELETE FROM ${SCHEMA}.checkpoints WHERE name = $1`, values: [MARK] });
  for (const table of ['passages', 'lexemes', 'texts', 'documents', 'datastores']) {
    const name = `${SCHEMA}.${table}`;
    const { rows } = await database.query({
      text: 'SELECT pg_total_relation_size($1::regclass)::float8 AS bytes',
      values: [name],
    });
    const isSmall = (rows[0] as { bytes: number }).bytes <= WRITTEN_ANEW_BYTES;
    await database.query({ text: `VACUUM ${isSmall ? '(FULL) ' : ''}${name}` }, VACUUM_MS);
  }
  if (!database.isOwn) return;
  await database.query({ text: 'SELECT pg_switch_wal()' });
  await database.query({ text: 'CHECKPOINT' }, VACUUM_MS);
}
