import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing, with names that outlive a loss of power: a name is on disk when the
 * folder that it is in is synced. None is made before the one above is safe, so of those that are there already, which a
 * process may have made that died before it synced, only the last can be in doubt.
 */
export function keepFolder(path: string, mode = 0o700): void {
  if (!existsSync(path)) {
    keepFolder(dirname(path), mode);
    mkdirSync(path, { recursive: true, mode });
  }
  try {
    syncFolder(dirname(path));
  } catch (error) {
    // Not ours to read: whoever it belongs to has made what is in it.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

/** What is in a folder has its names for good. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
