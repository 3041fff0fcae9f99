import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { SettingsRefused } from '#platform';
import { HASH_BYTES, concat, splitHashes } from '#proof';
import { NOTHING_HELD } from '../add-checkpoint.js';
import type { Held, Kept, WitnessStore } from '../held.js';
import { StoredHeads } from './stored-heads.js';
import { openWitnessFile } from './witness-file.js';

/**
 * What a witness remembers, and its key, in one SQLite file that one process has.
 * 1. A transaction is synced when it returns.
 * 2. What is held changes only from the size that the caller has looked at, in the transaction that compares it.
 */
export class SqliteWitnessStore implements WitnessStore {
  private readonly logs = new Map<string, { readonly id: number; readonly heads: StoredHeads }>();

  private constructor(
    private readonly db: DatabaseSync,
    /** Of the key, 32 bytes: made when the file was. */
    readonly seed: Uint8Array,
  ) {}

  /** @param name of the witness: a file has one, for a key has one. @throws SettingsRefused */
  static open(folder: string, name: string): SqliteWitnessStore {
    const db = openWitnessFile(folder);
    try {
      db.prepare('INSERT OR IGNORE INTO self VALUES (1, ?, ?)').run(name, randomBytes(HASH_BYTES));
      const self = db.prepare('SELECT name, seed FROM self').get();
      if (self?.['name'] !== name)
        throw new SettingsRefused(
          `DATA_DIR must be of this witness: its key is that of ${String(self?.['name'])}`,
        );
      return new SqliteWitnessStore(db, self['seed'] as Uint8Array);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  held(origin: string): Held {
    const row = this.db.prepare('SELECT size, root, note, edge FROM logs WHERE origin = ?').get(origin);
    if (row === undefined) return { ...NOTHING_HELD, note: null, edge: [] };
    return {
      size: Number(row['size']),
      root: row['root'] as Uint8Array,
      note: row['note'] === null ? null : String(row['note']),
      edge: splitHashes(row['edge'] as Uint8Array),
    };
  }

  heads(origin: string): StoredHeads {
    return this.log(origin).heads;
  }

  keep(origin: string, oldSize: number, { size, root, note, edge }: Kept): boolean {
    const { id, heads } = this.log(origin);
    const update = 'UPDATE logs SET size = ?, root = ?, note = ?, edge = ? WHERE id = ? AND size = ?';
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const { changes } = this.db.prepare(update).run(size, root, note, concat(...edge), id, oldSize);
      if (changes === 1) heads.keepStaged();
      this.db.exec(changes === 1 ? 'COMMIT' : 'ROLLBACK');
      heads.drop();
      return changes === 1;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.db.close();
  }

  private log(origin: string): { readonly id: number; readonly heads: StoredHeads } {
    const known = this.logs.get(origin);
    if (known !== undefined) return known;
    const { size, root } = NOTHING_HELD;
    this.db
      .prepare('INSERT OR IGNORE INTO logs (origin, size, root, note, edge) VALUES (?, ?, ?, NULL, ?)')
      .run(origin, size, root, new Uint8Array());
    const id = Number(this.db.prepare('SELECT id FROM logs WHERE origin = ?').get(origin)?.['id']);
    const log = { id, heads: new StoredHeads(this.db, id) };
    this.logs.set(origin, log);
    return log;
  }
}
