import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { keepFolder, requireWritable, syncFolder } from './folders.js';
import { WrongValue, key32 } from './setting-values.js';
import { SettingsRefused } from './settings.js';

const MASTER_KEY = 'master.key';
const NEXT = 'master.key.next';

/**
 * The master key: the configured one, or the folder's own, generated on first use.
 * @throws SettingsRefused where there is none though data exist that one has wrapped (`isBegun`)
 */
export function openMasterKey(dataDir: string, masterKey: Buffer | null, isBegun: boolean): Buffer {
  openDataDir(dataDir);
  if (masterKey !== null) return masterKey;
  const path = join(dataDir, MASTER_KEY);
  // The folder was begun with a key that was set, or has lost its own. A new one would open nothing.
  if (isBegun && readIfThere(path) === null)
    throw new SettingsRefused(
      `ANNALS_MASTER_KEY must be set: DATA_DIR was begun with a key that is not in it`,
    );
  return readKey(path);
}

function openDataDir(path: string): void {
  try {
    keepFolder(path, 0o777);
    requireWritable(path);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new SettingsRefused(`DATA_DIR must be a folder that this process can write to: ${code}`, {
      cause: error,
    });
  }
}

/** The key that a rotation changes to: generated once, then the same until `adoptNextMasterKey`. */
export const nextMasterKey = (dataDir: string): Buffer => readKey(join(dataDir, NEXT));

/** Completes a rotation: the next key becomes the folder's own. */
export function adoptNextMasterKey(dataDir: string): void {
  renameSync(join(dataDir, NEXT), join(dataDir, MASTER_KEY));
  syncFolder(dataDir);
}

function readKey(path: string): Buffer {
  const text = createOrRead(path, `${randomBytes(32).toString('base64')}\n`);
  try {
    return key32(text.trim());
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new SettingsRefused(`${basename(path)} in DATA_DIR must hold ${error.message}`);
  }
}

/**
 * The content of a file of mode 0600, created with `content` if missing. Atomic and synced; of two processes
 * that create it, both get the first one's content.
 */
function createOrRead(path: string, content: string): string {
  const there = readIfThere(path);
  if (there !== null) {
    // Whoever made it may have died, or failed, before its name was on disk.
    syncFolder(dirname(path));
    return there;
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dirname(path));
  return readFileSync(path, 'utf8');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;
