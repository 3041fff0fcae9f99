import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Finding, fault, ok, warning } from './finding.js';

const GIGABYTE = 1024 ** 3;
/** Below it the log goes over to its reserve soon; below the second, now. */
const LITTLE_BYTES = 2 * GIGABYTE;
const TOO_LITTLE_BYTES = GIGABYTE / 4;

/** Whether DATA_DIR, or what it will be made in, can be written to and has room. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  const folder = await nearestFolder(resolve(dataDir));
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    return fault('disk', `${folder} cannot be written to`, 'give it to the user that runs the service');
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const said = `${(free / GIGABYTE).toFixed(1)} GB free at ${folder}`;
  const advice = 'free some: runs are refused while space is low';
  if (free < TOO_LITTLE_BYTES) return fault('disk', said, advice);
  return free < LITTLE_BYTES ? warning('disk', said, advice) : ok('disk', said);
}

/** The folder itself, or the first above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || folder === dirname(folder) ? folder : nearestFolder(dirname(folder));
}
