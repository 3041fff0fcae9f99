import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL_SYNC, LogRefused, LogUnavailable } from '#event-log';
import {
  type ErasureCheckpoint,
  type ErasureKind,
  KeyStore,
  type SignedState,
  type StoredKey,
  type StoreState,
} from '../key-store.js';

const FILE = 'keys.db';
const APPLICATION_ID = 0x416e6b73;
const SCHEMA_VERSION = 1;
const BUSY_MS = 5_000;
/** Tries to truncate the WAL while another process reads. */
const CUT_TRIES = 100;
const CUT_PAUSE_MS = 50;

const SCHEMA = `
  CREATE TABLE keys (id TEXT PRIMARY KEY, master TEXT NOT NULL, wrapped BLOB, destroyed_at INTEGER) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_master ON keys (master) WHERE wrapped IS NOT NULL;
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    store_id TEXT NOT NULL, master TEXT NOT NULL, root BLOB NOT NULL, generation INTEGER NOT NULL,
    successor_of TEXT, successor BLOB
  ) STRICT;
  CREATE TABLE erasures (one INTEGER PRIMARY KEY CHECK (one = 1), log_id TEXT NOT NULL, position INTEGER NOT NULL) STRICT;`;

/** Came later: a store that was begun without them gets them, and whoever does not know them goes on without. */
const LATER = `
  CREATE TABLE IF NOT EXISTS below (id TEXT PRIMARY KEY, parent TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS below_by_parent ON below (parent);
  CREATE TABLE IF NOT EXISTS places (
    kind TEXT PRIMARY KEY, log_id TEXT NOT NULL, position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS signed (
    origin TEXT PRIMARY KEY, seal INTEGER NOT NULL, text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/**
 * Keys in a SQLite file of their own.
 * 1. A transaction is synced when it returns.
 * 2. Overwritten and deleted data are zeroed in the file (secure_delete), and the WAL, which still has them, is
 *    truncated.
 */
export class SqliteKeyStore extends KeyStore {
  private readonly selectKey: StatementSync;
  private readonly insertKey: StatementSync;

  private constructor(private readonly db: DatabaseSync) {
    super();
    this.selectKey = db.prepare('SELECT id, master, wrapped FROM keys WHERE id = ?');
    this.insertKey = db.prepare('INSERT INTO keys (id, master, wrapped) VALUES (?, ?, ?)');
  }

  /** Whether the folder holds such a store. */
  static isIn(folder: string): boolean {
    return existsSync(join(folder, FILE));
  }

  /** @throws LogRefused for a file that is not such a store */
  static open(folder: string): SqliteKeyStore {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, FILE);
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(file, { timeout: BUSY_MS });
      prepare(db, file);
      return new SqliteKeyStore(db);
    } catch (error) {
      db?.close();
      if (error instanceof LogRefused) throw error;
      const detail = error instanceof Error ? error.message : String(error);
      throw new LogRefused(`the key store ${file} cannot be opened: ${detail}; restore it from its backup`, {
        cause: error,
      });
    }
  }

  /** A file is there at once. */
  override async prepare(): Promise<void> {}

  override async state(): Promise<StoreState | null> {
    const row = this.ask(() => this.db.prepare('SELECT * FROM state').get());
    if (row === undefined) return null;
    const { successor_of: of, successor } = row;
    return {
      storeId: String(row['store_id']),
      master: String(row['master']),
      root: Buffer.from(row['root'] as Uint8Array),
      generation: Number(row['generation']),
      successor: typeof of === 'string' ? { of, wrapped: Buffer.from(successor as Uint8Array) } : null,
    };
  }

  override async begin({ storeId, master, root, generation }: StoreState): Promise<void> {
    this.transaction(() =>
      this.db
        .prepare(
          'INSERT OR IGNORE INTO state (one, store_id, master, root, generation) VALUES (1, ?, ?, ?, ?)',
        )
        .run(storeId, master, root, generation),
    );
  }

  override async read(ids: readonly string[]): Promise<readonly StoredKey[]> {
    return this.ask(() =>
      ids.flatMap((id) => {
        const row = this.selectKey.get(id);
        return row === undefined ? [] : [keyOf(row)];
      }),
    );
  }

  override async add(keys: readonly StoredKey[]): Promise<number | null> {
    return this.transaction(() => {
      const [first] = keys;
      const row = this.db
        .prepare('UPDATE state SET generation = generation + 1 WHERE master = ? RETURNING generation')
        .get(first?.master ?? '');
      if (row === undefined) return null;
      for (const { id, master, wrapped } of keys) this.insertKey.run(id, master, wrapped);
      return Number(row['generation']);
    });
  }

  override async destroy(id: string, at: number): Promise<void> {
    this.transaction(() => this.db.prepare(DESTROY).run(id, at));
    await this.cutWal();
  }

  override async placeBelow(id: string, parent: string): Promise<boolean> {
    return this.transaction(() => {
      const key = this.selectKey.get(parent);
      if (key === undefined || key['wrapped'] === null) return false;
      this.db.prepare('INSERT OR IGNORE INTO below VALUES (?, ?)').run(id, parent);
      return true;
    });
  }

  override async destroyTree(id: string, at: number): Promise<readonly string[]> {
    const ids = this.transaction(() => {
      const below = this.db.prepare('SELECT id FROM below WHERE parent = ?').all(id);
      const all = [id, ...below.map((row) => String(row['id']))];
      const statement = this.db.prepare(DESTROY);
      for (const one of all) statement.run(one, at);
      return all;
    });
    await this.cutWal();
    return ids;
  }

  override async remove(ids: readonly string[]): Promise<void> {
    this.transaction(() => {
      const statement = this.db.prepare('DELETE FROM keys WHERE id = ? AND wrapped IS NOT NULL');
      for (const id of ids) statement.run(id);
    });
  }

  override async checkpoint(of: ErasureKind = 'sessions'): Promise<ErasureCheckpoint | null> {
    const row = this.ask(() =>
      of === 'sessions'
        ? this.db.prepare('SELECT log_id, position FROM erasures').get()
        : this.db.prepare('SELECT log_id, position FROM places WHERE kind = ?').get(of),
    );
    return row === undefined ? null : { logId: String(row['log_id']), position: Number(row['position']) };
  }

  override async saveCheckpoint(
    { logId, position }: ErasureCheckpoint,
    of: ErasureKind = 'sessions',
  ): Promise<void> {
    const [table, key, name] = of === 'sessions' ? ['erasures', 'one', 1] : ['places', 'kind', of];
    this.transaction(() =>
      this.db
        .prepare(
          `INSERT INTO ${table} VALUES (?, ?, ?) ON CONFLICT (${key}) DO UPDATE SET log_id = excluded.log_id,
             position = iif(log_id = excluded.log_id, max(position, excluded.position), excluded.position)`,
        )
        .run(name, logId, position),
    );
  }

  override async signed(origin: string): Promise<SignedState | null> {
    const row = this.ask(() => this.db.prepare('SELECT seal, text FROM signed WHERE origin = ?').get(origin));
    return row === undefined ? null : { seal: Number(row['seal']), text: String(row['text']) };
  }

  override async saveSigned(origin: string, before: number, { seal, text }: SignedState): Promise<boolean> {
    const statement =
      before === 0
        ? 'INSERT OR IGNORE INTO signed (seal, text, origin) VALUES (?, ?, ?)'
        : 'UPDATE signed SET seal = ?, text = ? WHERE origin = ? AND seal = ?';
    const values = before === 0 ? [seal, text, origin] : [seal, text, origin, before];
    return this.transaction(() => this.db.prepare(statement).run(...values).changes === 1);
  }

  override async replaceMaster({
    master,
    root,
    successor,
  }: Pick<StoreState, 'master' | 'root' | 'successor'>): Promise<void> {
    this.transaction(() =>
      this.db
        .prepare('UPDATE state SET master = ?, root = ?, successor_of = ?, successor = ?')
        .run(master, root, successor?.of ?? null, successor?.wrapped ?? null),
    );
    await this.cutWal();
  }

  override async notUnder(master: string, limit: number): Promise<readonly StoredKey[]> {
    const query = 'SELECT id, master, wrapped FROM keys WHERE master <> ? AND wrapped IS NOT NULL LIMIT ?';
    return this.ask(() => this.db.prepare(query).all(master, limit)).map(keyOf);
  }

  override async rewrap(keys: readonly StoredKey[]): Promise<void> {
    this.transaction(() => {
      const statement = this.db.prepare(
        'UPDATE keys SET master = ?, wrapped = ? WHERE id = ? AND wrapped IS NOT NULL',
      );
      for (const { id, master, wrapped } of keys) statement.run(master, wrapped, id);
    });
    await this.cutWal();
  }

  override async close(): Promise<void> {
    this.db.close();
  }

  /** Invariant 2. Retries without blocking the event loop while another process reads. */
  private async cutWal(): Promise<void> {
    for (let tries = 0; tries < CUT_TRIES; tries++) {
      if (this.ask(() => this.isWalCut())) return;
      await sleep(CUT_PAUSE_MS);
    }
    throw new LogUnavailable('the key store is being read all the time: its WAL cannot be cut off');
  }

  private isWalCut(): boolean {
    this.db.exec('PRAGMA busy_timeout=0');
    try {
      return this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } finally {
      this.db.exec(`PRAGMA busy_timeout=${BUSY_MS}`);
    }
  }

  private transaction<T>(work: () => T): T {
    return this.ask(() => {
      this.db.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.db.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.db.isTransaction) this.db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** @throws LogUnavailable */
  private ask<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new LogUnavailable('the key store does not answer', { cause: error });
    }
  }
}

const DESTROY = `
  INSERT INTO keys (id, master, wrapped, destroyed_at) VALUES (?, '', NULL, ?)
  ON CONFLICT (id) DO UPDATE SET wrapped = NULL, destroyed_at = coalesce(destroyed_at, excluded.destroyed_at)`;

function prepare(db: DatabaseSync, file: string): void {
  const pragma = (name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
  const isNew = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']) === 0;
  if (!isNew && pragma('application_id') !== APPLICATION_ID)
    throw new LogRefused(`${file} is a SQLite file of another program`);
  if (!isNew && pragma('user_version') !== SCHEMA_VERSION)
    throw new LogRefused(`${file} has schema version ${pragma('user_version')}, not ${SCHEMA_VERSION}`);
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON');
  db.exec(FULL_SYNC);
  if (isNew)
    db.exec(
      `BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`,
    );
  db.exec(LATER);
}

const keyOf = (row: Record<string, unknown>): StoredKey => ({
  id: String(row['id']),
  master: String(row['master']),
  wrapped: row['wrapped'] === null ? null : Buffer.from(row['wrapped'] as Uint8Array),
});
