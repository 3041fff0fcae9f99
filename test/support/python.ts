import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where what the tests of Python need is installed, once for a checkout. */
const CACHE = resolve('node_modules/.cache');

interface Wanted {
  readonly name: string;
  readonly packages: readonly string[];
  readonly modules: string;
}

/** A Python with the packages that clients/python needs; null where it, or they, cannot be had on this machine. */
export const pythonForClients = (): string | null =>
  pythonWith({
    name: 'annals-python',
    packages: ['httpx>=0.25,<1', 'hatchling', 'mypy'],
    modules: 'httpx, hatchling, mypy',
  });

/** The same for the Python SDK of the Model Context Protocol. */
export const pythonForMcp = (): string | null =>
  pythonWith({ name: 'annals-mcp', packages: ['mcp>=2.3,<3'], modules: 'mcp, httpx2' });

/** The same for OpenAI's own client. */
export const pythonForOpenAi = (): string | null =>
  pythonWith({ name: 'annals-openai', packages: ['openai>=3,<4'], modules: 'openai' });

/** The same for FastMCP; from its fourth version on it speaks the revision 2026-07-28, before only the earlier ones. */
export const pythonForFastMcp = (major: 2 | 4): string | null =>
  pythonWith({
    name: `annals-fastmcp-${major}`,
    packages: [`fastmcp>=${major},<${major + 1}`],
    modules: 'fastmcp',
  });

/** The same for openapi-generator (a jar, which needs Java) and what it makes. */
export const pythonForGenerated = (): string | null =>
  pythonWith({
    name: 'annals-generated',
    packages: ['openapi-generator-cli==7.26.0', 'urllib3>=2.7', 'python-dateutil', 'pydantic>=2.11'],
    modules: 'openapi_generator_cli, urllib3, dateutil, pydantic',
  });

function pythonWith({ name, packages, modules }: Wanted): string | null {
  const home = join(CACHE, name);
  const python = join(home, 'bin', 'python');
  if (has(python, modules)) return python;
  mkdirSync(home, { recursive: true });
  const { status } = spawnSync('python3', ['-m', 'venv', home], { stdio: 'ignore' });
  if (status !== 0) return null;
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '1',
    ...packages,
  ];
  spawnSync(python, install, { stdio: 'ignore', timeout: 180_000 });
  return has(python, modules) ? python : null;
}

const has = (python: string, modules: string): boolean =>
  spawnSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0;

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
