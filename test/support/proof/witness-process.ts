import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sha256, toHex, utf8 } from '#proof';
import { until } from '../until.js';

export interface WitnessTerms {
  readonly name: string;
  /** What the policy says of logs: its `log` lines. */
  readonly logs: string;
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `annals witness` as a process, with a folder of its own. Owns both. */
export class WitnessProcess {
  private child: ChildProcess | null = null;
  private out = '';
  /** What it has written to stderr, over all its starts. */
  errors = '';

  private constructor(
    private readonly terms: WitnessTerms,
    readonly folder: string,
    /** The port stays the same over its starts; 0 before the first. */
    private port = 0,
  ) {}

  static async start(terms: WitnessTerms): Promise<WitnessProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-witness-'));
    const witness = new WitnessProcess(terms, folder);
    await writeFile(join(folder, 'policy'), `${terms.logs}quorum none\n`);
    await witness.launch();
    return witness;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its line in a policy, under a name. */
  line(name: string): string {
    const [, vkey = ''] = /^witness \S+ (\S+)$/m.exec(this.out) ?? [];
    return `witness ${name} ${vkey} ${this.url}\n`;
  }

  async launch(): Promise<void> {
    this.out = '';
    const child = this.spawn();
    await until(
      () => / on http\S+\n/.test(this.out) || child.exitCode !== null,
      () => this.errors,
    );
    if (child.exitCode !== null) throw new Error(this.errors);
    this.port = Number(/:(\d+)\n/.exec(this.out)?.[1]);
  }

  /** Another process of the same terms and folder: what it says, and its code. */
  async second(): Promise<{ readonly code: number | null; readonly errors: string }> {
    const before = this.errors.length;
    const { child, port } = this;
    this.port = 0;
    const [code] = (await once(this.spawn(), 'close')) as [number | null];
    [this.child, this.port] = [child, port];
    return { code, errors: this.errors.slice(before) };
  }

  async add(body: string): Promise<Response> {
    return fetch(`${this.url}/add-checkpoint`, { method: 'POST', body });
  }

  latest(origin: string): Promise<Response> {
    return fetch(`${this.url}/${toHex(sha256(utf8(origin)))}/checkpoint`);
  }

  /** The code of its end; null: it was killed. */
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.kill(signal);
    return (await closed)[0];
  }

  async dispose(): Promise<void> {
    await this.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  private spawn(): ChildProcess {
    const { name, env } = this.terms;
    const words = ['witness', '--policy', join(this.folder, 'policy'), '--name', name];
    const child = spawn(resolve('node_modules/.bin/node'), ['dist/apps/server/src/cli/main.js', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ENV_FILE: '/dev/null',
        DATA_DIR: join(this.folder, 'data'),
        PORT: String(this.port),
        ...env,
      },
    });
    this.child = child;
    running.add(child);
    child.once('close', () => running.delete(child));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    return child;
  }
}
