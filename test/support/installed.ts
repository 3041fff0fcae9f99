import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs what the lock file of a folder names, apart from the rest of the checkout, where `file` is not there under its
 * `node_modules`. False: the registry cannot be reached.
 */
export function isInstalledIn(folder: string, file: string): boolean {
  const wanted = join(folder, 'node_modules', file);
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
  if (!existsSync(wanted)) spawnSync('npm', install, { cwd: folder, stdio: 'ignore', timeout: 180_000 });
  return existsSync(wanted);
}
