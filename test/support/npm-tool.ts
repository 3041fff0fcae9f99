import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where tools of tests are installed that are too large for everybody's `npm ci`, once for a checkout. */
const CACHE = resolve('node_modules/.cache');

/**
 * The program of a package, at exactly this version; null where npm cannot get it. No script of any package is run.
 * @param program its path inside of the package
 */
export function npmTool(name: string, version: string, program: string): string | null {
  const home = join(CACHE, `annals-${name.replaceAll(/[^a-z]+/g, '-')}-${version}`);
  const file = join(home, 'node_modules', name, program);
  if (existsSync(file)) return file;
  mkdirSync(home, { recursive: true });
  const words = [
    'install',
    '--prefix',
    home,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--fetch-retries=0',
  ];
  spawnSync('npm', [...words, `${name}@${version}`], { stdio: 'ignore', timeout: 180_000 });
  return existsSync(file) ? file : null;
}
