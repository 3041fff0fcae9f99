import type { PostgresPool } from '#postgres';
import { KEY_TABLES, type KeyRow, KeyRows, type KeyTable, putStatement } from '../copy-keys.js';
import { openKeyPool } from './key-pool.js';
import { SCHEMA } from './key-statements.js';
import { PostgresKeyStore } from './postgres-key-store.js';

const PAGE = 1_000;

/** Rows of the key store in a database. */
export class PostgresKeyRows extends KeyRows {
  private constructor(private readonly pool: PostgresPool) {
    super();
  }

  /** Makes the tables where there are none. */
  static async open(
    url: string,
    ports: ConstructorParameters<typeof PostgresKeyStore>[1],
  ): Promise<PostgresKeyRows> {
    const store = new PostgresKeyStore(url, ports);
    await store.prepare();
    await store.close();
    return new PostgresKeyRows(openKeyPool(url));
  }

  override async page(table: KeyTable, after: string | number): Promise<readonly KeyRow[]> {
    const [key] = KEY_TABLES[table];
    const { rows } = await this.pool.query<KeyRow>({
      text: `SELECT ${KEY_TABLES[table].join(', ')} FROM ${SCHEMA}.${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${PAGE}`,
      values: [after],
    });
    return rows;
  }

  override async put(table: KeyTable, rows: readonly KeyRow[]): Promise<void> {
    const text = putStatement(`${SCHEMA}.${table}`, table, (n) => `$${n}`);
    await this.pool.transaction(async (client) => {
      for (const row of rows)
        await client.query({ text, values: KEY_TABLES[table].map((column) => forPostgres(row[column])) });
    });
  }

  override close(): Promise<void> {
    return this.pool.close();
  }
}

const forPostgres = (value: KeyRow[string] | undefined): unknown =>
  value instanceof Uint8Array ? Buffer.from(value) : (value ?? null);
