import type { TransactionClient } from '#postgres';
import type { Database } from './database.js';
import { PROJECTED_TABLES, REBUILD_SCHEMA, SCHEMA, checkpointIn } from './schema.js';

/** Shadow tables of a rebuild: created like those in use, and swapped with them at the end. */
export class RebuildTables {
  constructor(private readonly database: Database) {}

  /** Empty ones; what an earlier rebuild left is dropped. */
  async create(): Promise<void> {
    await this.database.transaction(async (client) => {
      await client.query(`DROP SCHEMA IF EXISTS ${REBUILD_SCHEMA} CASCADE`);
      await client.query(`CREATE SCHEMA ${REBUILD_SCHEMA}`);
      for (const table of PROJECTED_TABLES)
        await client.query(`CREATE TABLE ${REBUILD_SCHEMA}.${table} (LIKE ${SCHEMA}.${table} INCLUDING ALL)`);
      return true;
    });
  }

  /** False: the tables in use know more of the same log, nothing was changed. */
  async swap(logId: string): Promise<boolean> {
    for (const table of PROJECTED_TABLES)
      await this.database.query({ text: `ANALYZE ${REBUILD_SCHEMA}.${table}` });
    return this.database.transaction(async (client) => {
      for (const table of LOCK_ORDER)
        await client.query(`LOCK TABLE ${SCHEMA}.${table} IN ACCESS EXCLUSIVE MODE`);
      if (await isBehind(client, logId)) return false;
      for (const table of PROJECTED_TABLES) {
        await client.query(`DROP TABLE ${SCHEMA}.${table}`);
        await client.query(`ALTER TABLE ${REBUILD_SCHEMA}.${table} SET SCHEMA ${SCHEMA}`);
      }
      await client.query(`DROP SCHEMA ${REBUILD_SCHEMA}`);
      return true;
    });
  }
}

/** Every statement that writes takes the checkpoint first, and reads of the history the session: so nobody is met head-on. */
const LOCK_ORDER = PROJECTED_TABLES.toSorted(
  (a, b) => Number(b === 'checkpoints') - Number(a === 'checkpoints'),
);

async function isBehind(client: TransactionClient, logId: string): Promise<boolean> {
  const used = await checkpointIn(SCHEMA).load(client);
  const rebuilt = await checkpointIn(REBUILD_SCHEMA).load(client);
  return used?.logId === logId && used.position > (rebuilt?.position ?? 0);
}
