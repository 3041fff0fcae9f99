import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keepFolder, syncFolder } from './folders.js';
import { SecretBox } from './secret-box.js';
import { WrongValue, key32 } from './setting-values.js';
import { SettingsRefused } from './settings.js';

const MASTER_KEY = 'master.key';
const CHECK = 'master.check';
/** Never changes: what the key made of it is compared for as long as the folder lives. */
const CHECK_PURPOSE = 'annals/check/v1';

/**
 * The box under the master key of a data folder: the key that is set, or the folder's own, generated once. A value derived
 * from the key is kept beside it, so that a start with another key is refused before it writes or reads anything.
 * @throws SettingsRefused where the key is not the one that the folder was begun with
 */
export function openSecretBox(dataDir: string, masterKey: Buffer | null): SecretBox {
  keepFolder(dataDir, 0o777);
  const box = new SecretBox(masterKey ?? ownKey(dataDir));
  const value = box.derive(CHECK_PURPOSE).toString('hex');
  const kept = createOrRead(join(dataDir, CHECK), `${value}\n`).trim();
  if (kept !== value) {
    throw new SettingsRefused(
      masterKey === null
        ? `ANNALS_MASTER_KEY must be set to the key that DATA_DIR was begun with: its ${MASTER_KEY} is another`
        : 'ANNALS_MASTER_KEY must be the key that DATA_DIR was begun with',
    );
  }
  return box;
}

function ownKey(dataDir: string): Buffer {
  // A check value without its key: the folder was begun with a key that was set. A new one would read nothing.
  if (readIfThere(join(dataDir, MASTER_KEY)) === null && readIfThere(join(dataDir, CHECK)) !== null) {
    throw new SettingsRefused(
      'ANNALS_MASTER_KEY must be set: DATA_DIR was begun with a key that is not in it',
    );
  }
  const text = createOrRead(join(dataDir, MASTER_KEY), `${randomBytes(32).toString('base64')}\n`);
  try {
    return key32(text.trim());
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new SettingsRefused(`${MASTER_KEY} in DATA_DIR must hold ${error.message}`);
  }
}

/**
 * The content of a file of mode 0600; where there is none, it is made with `content`. It is there complete and synced, or
 * not at all; of two processes that make it, both get the first one's.
 */
function createOrRead(path: string, content: string): string {
  const there = readIfThere(path);
  if (there !== null) return there;
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
