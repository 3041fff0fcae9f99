import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder durably, with its missing parents: each name is on disk once the parent folder is synced.
 * None is created before the one above is synced; so of those that exist already, perhaps made by a process
 * that died before it synced, only the last can be in doubt.
 */
export function keepFolder(path: string, mode = 0o700): void {
  if (!existsSync(path)) {
    keepFolder(dirname(path), mode);
    // One level at a time: all at once Node tries for ever where the system takes no new names, as in /proc.
    makeOne(path, mode);
  }
  try {
    syncFolder(dirname(path));
  } catch (error) {
    // Not ours to read: whoever it belongs to has made what is in it.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

/** @throws the system's error where no file can be made in the folder */
export function requireWritable(path: string): void {
  // With the dot a file is refused as what it is.
  accessSync(`${path}/.`, constants.W_OK | constants.X_OK);
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Syncs a folder, so that the names in it survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
