import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SystemRandom } from '#platform';
import { chooseAccount } from '../../libs/postgres/src/embedded/account.js';
import { findBinaries } from '../../libs/postgres/src/embedded/binaries.js';
import { DataFolder } from '../../libs/postgres/src/embedded/data-folder.js';

const run = promisify(execFile);
const NAME = 'postgres';

/**
 * Puts an empty database into a data folder that has none: what a first start makes there, which takes longer than all
 * the rest of a start. It is made once on a machine, and copied.
 */
export async function placeDatabase(folder: string): Promise<void> {
  const template = await templateFolder();
  const parts = [NAME, `${NAME}.password`].map((part) => join(template, part));
  await run('cp', ['-a', ...parts, folder]);
}

async function templateFolder(): Promise<string> {
  const binaries = await findBinaries();
  const { mtimeMs, uid } = statSync(binaries.initdb);
  const template = join(tmpdir(), `annals-template-${process.getuid?.() ?? uid}-${Math.round(mtimeMs)}`);
  if (existsSync(template)) return template;
  const draft = mkdtempSync(join(tmpdir(), 'annals-template-draft-'));
  const folder = new DataFolder(join(draft, NAME), new SystemRandom());
  await folder.create(binaries, chooseAccount(dirname(binaries.postgres), folder.path));
  try {
    renameSync(draft, template);
  } catch (error) {
    // Another worker was first.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}
