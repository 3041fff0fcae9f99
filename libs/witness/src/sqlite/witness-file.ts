import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsRefused, keepFolder } from '#platform';

/** Opens the file of a witness, or refuses it with one line. */

const FILE = 'witness.db';
const APPLICATION_ID = 0x416e7774;
const SCHEMA_VERSION = 1;
const SQLITE_BUSY = 5;

const SCHEMA = `
  CREATE TABLE self (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, seed BLOB NOT NULL) STRICT;
  CREATE TABLE logs (
    id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT, edge BLOB NOT NULL
  ) STRICT;
  CREATE TABLE heads (
    log INTEGER NOT NULL, tag BLOB NOT NULL, revision INTEGER NOT NULL, link BLOB NOT NULL, PRIMARY KEY (log, tag)
  ) STRICT, WITHOUT ROWID;`;

/** What is read before its checkpoint is cosigned: in a file of SQLite's own, which nobody syncs and which no crash leaves. */
const STAGE = `
  PRAGMA temp_store=FILE;
  CREATE TEMP TABLE staged (
    log INTEGER NOT NULL, tag BLOB NOT NULL, revision INTEGER NOT NULL, link BLOB NOT NULL, PRIMARY KEY (log, tag)
  ) STRICT, WITHOUT ROWID;`;

/** Only its user can read it: it holds the key. @throws SettingsRefused */
export function openWitnessFile(folder: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    keepFolder(folder, 0o700);
    const file = join(folder, FILE);
    closeSync(openSync(file, 'a', 0o600));
    db = new DatabaseSync(file);
    prepare(db);
    // A key whose file has no name after a loss of power would be gone with what it has signed.
    syncFolder(folder);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof SettingsRefused) throw error;
    throw new SettingsRefused(reasonOf(error), { cause: error });
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function prepare(db: DatabaseSync): void {
  const pragma = (name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
  // The system's lock on the file, kept until the process ends, however: no other signs with this memory.
  db.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  const isNew = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']) === 0;
  if (!isNew && pragma('application_id') !== APPLICATION_ID)
    throw new SettingsRefused(`DATA_DIR must be the folder of a witness: its ${FILE} is another program's`);
  if (!isNew && pragma('user_version') !== SCHEMA_VERSION)
    throw new SettingsRefused(
      `DATA_DIR must be of this version: its ${FILE} has ${pragma('user_version')}, not ${SCHEMA_VERSION}`,
    );
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON',
  );
  if (isNew)
    db.exec(
      `BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`,
    );
  db.exec(STAGE);
}

function reasonOf(error: unknown): string {
  const { errcode = -1, message } = error as Error & { readonly errcode?: number };
  if ((errcode & 0xff) === SQLITE_BUSY)
    return 'DATA_DIR must be free: another process is the witness of this folder';
  return `DATA_DIR must be a folder for ${FILE}, which cannot be opened: ${message}`;
}
