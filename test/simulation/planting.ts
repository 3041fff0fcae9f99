import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CampaignResult } from './campaign.js';
import type { AdapterMutant } from './mutants-of-adapters.js';
import type { Mutant } from './mutants.js';
import { type Change, changed } from './source-symbols.js';

/** A change in a file of the product, and its name. */
export type Planted = Change & Pick<Mutant, 'name' | 'file'>;

const run = promisify(execFile);

const COMPILED = ['dist', 'package.json'];
const SOURCES = ['apps', 'libs', 'test', '.ci', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** A folder of its own with these parts of a checkout, and its packages. */
async function copyOf(root: string, parts: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'annals-mutants-'));
  for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** A copy of the compiled product into which mutants are planted, one at a time. The product itself is not touched. */
export class Nursery {
  private constructor(
    private readonly folder: string,
    private readonly root: string,
  ) {}

  /** `root` is the folder of the checkout, compiled. */
  static async open(root: string): Promise<Nursery> {
    return new Nursery(await copyOf(root, COMPILED), root);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  /** Plants the mutant, plays until a seed fails or there are no more, and takes it out again. */
  async grow(mutant: Mutant, args: readonly string[]): Promise<CampaignResult> {
    const target = join(this.folder, 'dist', mutant.file.replace(/\.ts$/, '.js'));
    const healthy = await readFile(target, 'utf8');
    await writeFile(target, await compiled(this.root, mutant.file, await planted(this.root, mutant)));
    try {
      return await simulate(this.folder, args);
    } finally {
      await writeFile(target, healthy);
    }
  }
}

/** @throws Error where it is no code */
export async function compiled(root: string, file: string, source: string): Promise<string> {
  const { jest } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    jest: { transform: Record<string, [string, object]> };
  };
  const [, options] = Object.values(jest.transform)[0] ?? ['', {}];
  const { transform } = await import('@swc/core');
  const { code } = await transform(source, { ...options, filename: file });
  return code;
}

/** The mutant's file with the mistake in it. @throws Error that names the mutant, if it fits no more */
export async function planted(root: string, mutant: Planted): Promise<string> {
  const { name, file } = mutant;
  try {
    return changed(await readFile(join(root, file), 'utf8'), mutant);
  } catch (error) {
    throw new Error(`the mutant ${name} does not fit ${file} any more: ${String(error)}`, { cause: error });
  }
}

/** A copy of the sources, in which a suite looks for a mutant. The product itself is not touched. */
export class SourceNursery {
  private constructor(
    private readonly folder: string,
    private readonly root: string,
  ) {}

  /** `root` is the folder of the checkout. */
  static async open(root: string): Promise<SourceNursery> {
    return new SourceNursery(await copyOf(root, SOURCES), root);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Plants the mutant, has its test look for it, and takes it out again. Returns the tests that passed and failed. */
  async examine(mutant: AdapterMutant): Promise<{ readonly passed: number; readonly failed: number }> {
    const target = join(this.folder, mutant.file);
    await writeFile(target, await planted(this.root, mutant));
    try {
      return await this.tested(mutant);
    } finally {
      await cp(join(this.root, mutant.file), target);
    }
  }

  /** The mutant's test, with whatever is planted now. */
  async tested({
    spec,
    title,
  }: AdapterMutant): Promise<{ readonly passed: number; readonly failed: number }> {
    const out = join(this.folder, 'result.json');
    const jest = join(this.folder, 'node_modules/jest/bin/jest.js');
    const args = [jest, spec, '-t', title, '--json', `--outputFile=${out}`];
    const options = { cwd: this.folder, maxBuffer: 64 * 1024 * 1024 };
    // A test that fails makes the process fail: what came of it is in the file.
    await run(process.execPath, ['--experimental-vm-modules', ...args], options).catch(() => undefined);
    const result = JSON.parse(await readFile(out, 'utf8')) as Record<string, number>;
    return { passed: result['numPassedTests'] ?? 0, failed: result['numFailedTests'] ?? 0 };
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
