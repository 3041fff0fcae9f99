import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KEY_TABLES, type KeyRow, KeyRows, type KeyTable, putStatement } from '../copy-keys.js';
import { SqliteKeyStore } from './sqlite-key-store.js';

const PAGE = 1_000;

/** Rows of the key store in a folder. */
export class SqliteKeyRows extends KeyRows {
  private constructor(private readonly db: DatabaseSync) {
    super();
  }

  /** Makes the store where there is none. @throws LogRefused for a file that is not such a store */
  static async open(folder: string): Promise<SqliteKeyRows> {
    await SqliteKeyStore.open(folder).close();
    const db = new DatabaseSync(join(folder, 'keys.db'));
    db.exec('PRAGMA synchronous=FULL; PRAGMA secure_delete=ON');
    return new SqliteKeyRows(db);
  }

  override async page(table: KeyTable, after: string | number): Promise<readonly KeyRow[]> {
    const [key] = KEY_TABLES[table];
    const query = `SELECT ${KEY_TABLES[table].join(', ')} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${PAGE}`;
    return this.db.prepare(query).all(after) as KeyRow[];
  }

  override async put(table: KeyTable, rows: readonly KeyRow[]): Promise<void> {
    const statement = this.db.prepare(putStatement(table, table, () => '?'));
    this.db.exec('BEGIN IMMEDIATE');
    try {
      for (const row of rows) statement.run(...KEY_TABLES[table].map((column) => row[column] ?? null));
      this.db.exec('COMMIT');
    } catch (error) {
      this.db.exec('ROLLBACK');
      throw error;
    }
  }

  override async close(): Promise<void> {
    this.db.close();
  }
}
