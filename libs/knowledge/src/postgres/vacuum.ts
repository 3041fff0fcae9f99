import { type TransactionClient, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { IN, SCHEMA } from './tables.js';

/** Takes a second or two, in which a search waits. */
const WRITTEN_ANEW_BYTES = 32 * 1024 * 1024;
const VACUUM_MS = 60_000;
const MARK = 'vacuum';
const mark = (): string => MARK;

/** Its position names the transaction that deleted last: a vacuum ends the mark that it found, not a later one. */
const SET_MARK = statement(sql<void>`
  INSERT INTO ${IN}.checkpoints (name, log_id, position) VALUES (${mark}, '', pg_current_xact_id()::text::bigint)
  ON CONFLICT (name) DO UPDATE SET position = excluded.position`);
const FIND_MARK = statement(sql<void>`SELECT position FROM ${IN}.checkpoints WHERE name = ${mark}`);
const DELETE_MARK = statement(
  sql<string>`DELETE FROM ${IN}.checkpoints WHERE name = ${mark} AND position = ${(position) => position}`,
);
const SIZE_OF = statement(
  sql<string>`SELECT pg_total_relation_size(${(table) => table}::regclass)::float8 AS bytes`,
);

/** In the transaction that deletes: a process that dies before the vacuum leaves it to the next. */
export async function markVacuumDue(client: TransactionClient): Promise<void> {
  await client.query(SET_MARK());
}

export async function isVacuumDue(database: KnowledgeDatabase): Promise<boolean> {
  const { rowCount } = await database.query(FIND_MARK());
  return rowCount === 1;
}

/**
 * What was deleted leaves the tables. PostgreSQL only lets its place be used again; a small table is written anew, so
 * that nothing of it is left. Of our own server's write-ahead log nothing is kept either. Is due until it is done.
 */
export async function vacuum(database: KnowledgeDatabase): Promise<void> {
  const { rows: marks } = await database.query(FIND_MARK());
  await writeAnew(database);
  for (const { position } of marks as { position: string }[]) await database.query(DELETE_MARK(position));
}

async function writeAnew(database: KnowledgeDatabase): Promise<void> {
  for (const table of ['passages', 'lexemes', 'texts', 'documents', 'datastores']) {
    const name = `${SCHEMA}.${table}`;
    const { rows } = await database.query(SIZE_OF(name));
    const isSmall = (rows[0] as { bytes: number }).bytes <= WRITTEN_ANEW_BYTES;
    await database.query({ text: `VACUUM ${isSmall ? '(FULL) ' : ''}${name}` }, VACUUM_MS);
  }
  if (!database.isOwn) return;
  await database.query({ text: 'SELECT pg_switch_wal()' });
  await database.query({ text: 'CHECKPOINT' }, VACUUM_MS);
}
