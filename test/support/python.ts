import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where what the tests of Python need is installed, once for a checkout. */
const HOME = resolve('node_modules/.cache/annals-python');
const PACKAGES = ['httpx>=0.25,<1', 'hatchling', 'mypy'];

/** A Python with the packages that clients/python needs; null where it, or they, cannot be had on this machine. */
export function pythonForClients(): string | null {
  const python = join(HOME, 'bin', 'python');
  if (isComplete(python)) return python;
  mkdirSync(HOME, { recursive: true });
  const { status } = spawnSync('python3', ['-m', 'venv', HOME], { stdio: 'ignore' });
  if (status !== 0) return null;
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '1',
    ...PACKAGES,
  ];
  spawnSync(python, install, { stdio: 'ignore', timeout: 180_000 });
  return isComplete(python) ? python : null;
}

const isComplete = (python: string): boolean =>
  spawnSync(python, ['-c', 'import httpx, hatchling, mypy'], { stdio: 'ignore' }).status === 0;

/** A program of clients/python, from its sources. */
export class PythonProgram {
  constructor(
    private readonly python: string,
    private readonly env: Readonly<Record<string, string>> = {},
  ) {}

  /** Its output when it has ended. @throws Error where it fails */
  async output(...words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await run(this.python, [...words], { env: this.environment });
    return stdout + stderr;
  }

  /** Its output line by line, as it comes. @throws Error where it fails */
  async *lines(...words: readonly string[]): AsyncGenerator<string> {
    const child = spawn(this.python, [...words], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<number | null>((end) => child.once('close', end));
    try {
      yield* createInterface({ input: child.stdout });
      if ((await ended) !== 0) throw new Error(said);
    } finally {
      child.kill('SIGKILL');
    }
  }

  private get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PYTHONPATH: resolve('clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...this.env,
    };
  }
}
