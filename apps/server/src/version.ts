import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the program, as its package.json says. */
export function programVersion(): string {
  const file = findPackageJSON('.', import.meta.url);
  const { version } = JSON.parse(readFileSync(file ?? 'package.json', 'utf8')) as { version: string };
  return version;
}
