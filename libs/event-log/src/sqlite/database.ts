import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LogDamaged } from '../thread/log-damaged.js';
import { FULL_SYNC } from './full-sync.js';
import type { ThreadOptions } from './protocol.js';

/** Opens and migrates the log's SQLite file, or refuses with a reason in one line. */

export const DATABASE_FILE = 'log.db';
const APPLICATION_ID = 0x416e6c67;
const OLDEST_VERSION = 2;
const SCHEMA_VERSION = 3;
/** From SQLite's file format (sqlite.org/fileformat2.html#walformat). */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** Schema of the stream index. */
const PLACES = `
  CREATE TABLE places (
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (stream, revision)
  ) WITHOUT ROWID, STRICT;`;

/**
 * Rows are never deleted and the one writer counts the positions itself, so positions rise with commits without the
 * extra page that AUTOINCREMENT writes. `data` belongs to the codec. An empty `prev` is that of an event outside the chain.
 */
const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    time INTEGER NOT NULL,
    data ANY NOT NULL,
    meta TEXT NOT NULL,
    commitment BLOB NOT NULL,
    prev BLOB NOT NULL
  ) STRICT;
  ${PLACES}
  CREATE TABLE log (log_id TEXT NOT NULL, placed_to INTEGER NOT NULL DEFAULT 0) STRICT;`;

/** Version 2 used an index instead. */
const UPGRADE = `
  ${PLACES}
  INSERT INTO places SELECT stream, revision, position FROM events ORDER BY stream, revision;
  DROP INDEX events_of_stream;
  ALTER TABLE log ADD COLUMN placed_to INTEGER NOT NULL DEFAULT 0;
  UPDATE log SET placed_to = (SELECT coalesce(max(position), 0) FROM events);
  PRAGMA user_version=${SCHEMA_VERSION};`;

/** Backfills what an earlier version, which wrote places late, had not written when it was killed. */
const MISSING_PLACES = `
  INSERT OR IGNORE INTO places SELECT stream, revision, position FROM events
  WHERE position > (SELECT placed_to FROM log)`;

export interface OpenDatabase {
  readonly db: DatabaseSync;
  readonly logId: string;
  readonly head: number;
}

/** The log cannot be opened; the message is for the operator. Posted between threads as text. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export function openDatabase(options: ThreadOptions): OpenDatabase {
  const file = join(options.folder, DATABASE_FILE);
  if (existsSync(`${file}-wal`) && !existsSync(file))
    throw new Refusal(
      `${file} is missing although its ${DATABASE_FILE}-wal is there: restore it from a backup`,
    );
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    return prepared(db, file, options);
  } catch (error) {
    db?.close();
    if (error instanceof Refusal) throw error;
    throw new Refusal(reasonOf(error, options.folder, file), { cause: error });
  }
}

function prepared(db: DatabaseSync, file: string, options: ThreadOptions): OpenDatabase {
  // Exclusive mode takes the system's lock on the file with the first read and keeps it until the process ends, however.
  db.exec('PRAGMA locking_mode=EXCLUSIVE');
  checkOrigin(db, file);
  db.exec('PRAGMA journal_mode=WAL');
  db.exec(
    `PRAGMA synchronous=${options.faults.synchronous ?? 'FULL'}; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-8000`,
  );
  db.exec(FULL_SYNC);
  // The WAL stays as large as it may grow: overwriting it needs one sync of data only, growing it syncs the size, too.
  db.exec(`PRAGMA journal_size_limit=${options.walBytes}`);
  const { maxPageCount } = options.faults;
  if (maxPageCount !== undefined) db.exec(`PRAGMA max_page_count=${maxPageCount}`);
  db.exec('BEGIN IMMEDIATE');
  if (isEmpty(db)) {
    db.exec(`${SCHEMA} PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}`);
    db.prepare('INSERT INTO log (log_id) VALUES (?)').run(randomUUID());
  } else if (pragma(db, 'user_version') < SCHEMA_VERSION) db.exec(UPGRADE);
  db.exec(MISSING_PLACES);
  db.exec('COMMIT');
  writePid(options.folder);
  rewriteWal(db);
  // SQLite syncs the folder of a new WAL, too, but takes no notice when that fails.
  syncFolder(options.folder);
  const logId = String(db.prepare('SELECT log_id FROM log').get()?.['log_id']);
  const head = Number(db.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get()?.['head']);
  return { db, logId, head };
}

function checkOrigin(db: DatabaseSync, file: string): void {
  const application = pragma(db, 'application_id');
  if (application === 0 && isEmpty(db)) return;
  if (application !== APPLICATION_ID) throw new Refusal(`${file} is a SQLite file of another program`);
  const version = pragma(db, 'user_version');
  if (version < OLDEST_VERSION || version > SCHEMA_VERSION)
    throw new Refusal(
      `${file} has schema version ${version}, this program knows versions ${OLDEST_VERSION} and ${SCHEMA_VERSION}`,
    );
  // Once the WAL is applied the file may be short, but then the WAL holds the rest; without one it has been cut.
  const pages = pragma(db, 'page_count');
  const { size } = statSync(file);
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (wal === 0 && size < pages * pragma(db, 'page_size'))
    throw new Refusal(
      `${file} is cut short: ${size} bytes where ${pages} pages should be; restore it from a backup`,
    );
}

/** Rewrites pages that after a failed sync may only seem to be on disk, and syncs them. */
function rewriteWal(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    // What is in the WAL can be read; it moves when there is room.
    if (!isFull(error)) throw error;
  }
}

/**
 * Cuts off what a transaction that failed has left in the WAL. After a failed sync the system may hold it for written, and no
 * later sync writes it: whoever opened the file would take it for committed, and the next checkpoint would write some of its
 * pages into the database, over which a loss of power leaves a WAL without it.
 */
export function cutWal(db: DatabaseSync, folder: string): void {
  if (db.isTransaction) db.exec('ROLLBACK');
  const frames = Math.max(0, Number(db.prepare('PRAGMA wal_checkpoint(NOOP)').get()?.['log']));
  const end = frames === 0 ? 0 : WAL_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pragma(db, 'page_size'));
  const wal = join(folder, `${DATABASE_FILE}-wal`);
  if (statSync(wal).size > end) truncateSync(wal, end);
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Only for the message to a second process; the lock itself is SQLite's. */
function writePid(folder: string): void {
  try {
    if (holderOf(folder) !== String(process.pid)) writeFileSync(pidFile(folder), `${process.pid}\n`);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

const isEmpty = (db: DatabaseSync): boolean =>
  Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']) === 0;

const pragma = (db: DatabaseSync, name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

const pidFile = (folder: string): string => join(folder, 'log.pid');

function reasonOf(error: unknown, folder: string, file: string): string {
  const code = primaryCode(error);
  if (code === SQLITE_BUSY) return `${folder} is in use by process ${holderOf(folder)}`;
  if (code === SQLITE_NOTADB) return `${file} is not a SQLite file`;
  if (code === SQLITE_CORRUPT) return damaged(file);
  return `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
}

function holderOf(folder: string): string {
  try {
    return readFileSync(pidFile(folder), 'utf8').trim();
  } catch {
    return '(unknown)';
  }
}

/** SQLite's primary result code of an error, -1 where it is not SQLite's. */
function primaryCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : -1;
  return code < 0 ? code : code & 0xff;
}

/** Why a read fails, for the operator; null: not a fault of the file. */
export function unreadable(error: unknown): string | null {
  if (error instanceof LogDamaged) return error.message;
  const code = primaryCode(error);
  if (code === SQLITE_CORRUPT) return damaged(DATABASE_FILE);
  return code < 0 ? null : `${DATABASE_FILE} cannot be read: ${(error as Error).message}`;
}

const damaged = (file: string): string => `${file} is damaged: restore it from a backup`;

export const isFull = (error: unknown): boolean =>
  primaryCode(error) === SQLITE_FULL ||
  (error instanceof Error && 'code' in error && error.code === 'ENOSPC');
