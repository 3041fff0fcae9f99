import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CampaignResult } from './campaign.js';
import type { Mutant } from './mutants.js';

const run = promisify(execFile);

/** A copy of the compiled product into which mutants are planted, one at a time. The product itself is not touched. */
export class Nursery {
  private constructor(
    private readonly folder: string,
    private readonly root: string,
  ) {}

  /** `root` is the folder of the checkout, compiled. */
  static async open(root: string): Promise<Nursery> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-mutants-'));
    for (const part of ['dist/libs', 'dist/test/simulation', 'package.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new Nursery(folder, root);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  /** Plants the mutant, plays until a seed fails or there are no more, and takes it out again. */
  async grow(mutant: Mutant, args: readonly string[]): Promise<CampaignResult> {
    const target = join(this.folder, 'dist', mutant.file.replace(/\.ts$/, '.js'));
    const healthy = await readFile(target, 'utf8');
    await writeFile(target, await this.compiled(mutant));
    try {
      return await simulate(this.folder, args);
    } finally {
      await writeFile(target, healthy);
    }
  }

  private async compiled({ name, file, find, replace }: Mutant): Promise<string> {
    const source = await readFile(join(this.root, file), 'utf8');
    if (source.split(find).length !== 2)
      throw new Error(`the mutant ${name} does not fit ${file} any more: "${find}" is not there once`);
    const { jest } = JSON.parse(await readFile(join(this.root, 'package.json'), 'utf8')) as {
      jest: { transform: Record<string, [string, object]> };
    };
    const [, options] = Object.values(jest.transform)[0] ?? ['', {}];
    const { transform } = await import('@swc/core');
    const { code } = await transform(source.replace(find, replace), { ...options, filename: file });
    return code;
  }
}

/** Plays many seeds in a process of their own, from the compiled files of a folder. */
export async function simulate(root: string, args: readonly string[]): Promise<CampaignResult> {
  const main = join(root, 'dist/test/simulation/main.js');
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await run(process.execPath, [main, '--json', ...args], options);
    return JSON.parse(stdout) as CampaignResult;
  } catch (error) {
    // Seeds that fail make the process fail; what it says of them is on its output.
    const { stdout } = error as { stdout?: string };
    if (stdout?.startsWith('{')) return JSON.parse(stdout) as CampaignResult;
    throw error;
  }
}
