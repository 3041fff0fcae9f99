import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { placeDatabase } from './fresh-database.js';
import { ServiceClient } from './service-client.js';
import { PATIENCE_MS } from './until.js';

/** The first admin key of every service that a test starts. */
export const ADMIN_KEY = 'annals_the_admin_key_of_the_tests';

export interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: a folder of its own, removed in the end. */
  readonly dataDir?: string;
  /** The first start makes the database, too. */
  readonly isFirstStart?: boolean;
  /** Modules that Node loads before the program. */
  readonly imports?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What `npm start` gives to Node. What it runs looks first whether anything has to be built, which was done before the tests. */
const FLAGS = startScript().split(' node ')[1]!.split(' ').slice(0, -1);
const START = [...FLAGS, 'dist/apps/server/src/cli/main.js', 'start'];

const LOOK_MS = 10;
const WATCHDOG_MS = 5_000;

/** The programs that this process has started and that run still: none outlives it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * The service as it runs in production: what `npm start` runs, a process on a data folder of its own. Owns the process,
 * the folder, and what a killed process has left in it.
 */
export class ServiceProcess {
  private child: ChildProcess | null = null;
  /** The process that was ready. */
  private readyChild: ChildProcess | null = null;
  private address = '';
  private said = '';
  private whenExited: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  /** Of each start: milliseconds until it was ready. */
  readonly startsMs: number[] = [];

  private constructor(
    readonly dataDir: string,
    private readonly options: ServiceOptions,
  ) {}

  /** Starts the service and waits until it is ready. */
  static async start(options: ServiceOptions = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.prepare(options);
    try {
      await service.launch();
      return service;
    } catch (error) {
      await service.dispose();
      throw error;
    }
  }

  /** The folder, and nothing that runs in it yet. */
  static async prepare(options: ServiceOptions = {}): Promise<ServiceProcess> {
    if (options.dataDir !== undefined) return new ServiceProcess(options.dataDir, options);
    const dataDir = await mkdtemp(join(tmpdir(), 'annals-service-'));
    const { isFirstStart = false, env = {} } = options;
    if (!isFirstStart && env['DATABASE_URL'] === undefined) await placeDatabase(dataDir);
    return new ServiceProcess(dataDir, options);
  }

  /** Where it listens now: each start takes a free port. */
  get origin(): string {
    if (this.address === '') throw new Error('the service has not said where it listens');
    return this.address;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** Whether it runs and has said that it takes requests. */
  get isReady(): boolean {
    return this.child !== null && this.readyChild === this.child;
  }

  /** All that it has written to its terminal, over all its starts. */
  get output(): string {
    return this.said;
  }

  /** Whether what it writes is read: while it is not, its pipes fill. */
  set isHeard(isHeard: boolean) {
    for (const pipe of [this.child?.stdout, this.child?.stderr])
      if (isHeard) pipe?.resume();
      else pipe?.pause();
  }

  /** The end of the process that was started last. */
  get exited(): Promise<Exit> {
    return this.whenExited;
  }

  client(key = ADMIN_KEY): ServiceClient {
    return new ServiceClient(() => this.origin, key);
  }

  /** Starts the process and waits until it is ready. @throws Error with its output where it ends before that */
  async launch(more: ServiceOptions = {}): Promise<void> {
    const since = performance.now();
    this.spawn(more);
    await this.until(
      () => 'it listens',
      () => this.address !== '',
    );
    const client = this.client();
    let last = 'no answer';
    await this.until(
      () => `it is ready, but it says ${last}`,
      async () => {
        const answer = await client.get('/readyz').catch(() => null);
        last = answer?.text ?? last;
        return answer?.status === 200;
      },
    );
    this.readyChild = this.child;
    this.startsMs.push(performance.now() - since);
  }

  /** Starts the process and does not wait. */
  spawn(more: ServiceOptions = {}): void {
    if (this.child !== null) throw new Error('the service runs already');
    const imports = [...(this.options.imports ?? []), ...(more.imports ?? [])];
    const child = spawn(
      resolve('node_modules/.bin/node'),
      [...imports.flatMap((module) => ['--import', module]), ...START],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...this.environment(), ...this.options.env, ...more.env },
      },
    );
    running.add(child);
    this.child = child;
    this.address = '';
    let lines = '';
    const hear = (text: string): void => {
      this.said += text;
      if (this.address !== '') return;
      lines += text;
      this.address = /"address":"([^"]+)"/.exec(lines)?.[1] ?? '';
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    this.whenExited = once(child, 'close').then(([code, signal]) => {
      running.delete(child);
      if (this.child === child) this.child = null;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.child?.kill(signal);
    return this.exited;
  }

  /** Sends a signal and does not wait for what comes of it. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends the process, if it runs, and starts it again on the same folder. */
  async restart(signal: NodeJS.Signals = 'SIGKILL', more: ServiceOptions = {}): Promise<void> {
    await this.kill(signal);
    await this.launch(more);
  }

  /** Ends everything, also what a killed process has left behind, and removes the folder. */
  async dispose(): Promise<void> {
    await this.kill('SIGKILL');
    await this.leftoversEnd();
    if (this.options.dataDir === undefined)
      await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Process ids of what works in the data folder: the embedded PostgreSQL. */
  leftovers(): number[] {
    return processesIn(this.dataDir);
  }

  private async leftoversEnd(): Promise<void> {
    const until = performance.now() + WATCHDOG_MS;
    while (this.leftovers().length > 0) {
      if (performance.now() > until) for (const pid of this.leftovers()) endProcess(pid);
      await sleep(LOOK_MS);
    }
    // Its watchdogs look on for some seconds; there is nothing left to watch.
    for (const pid of processesNaming(`${this.dataDir}/postgres`)) endProcess(pid);
  }

  private async until(what: () => string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const from = this.said.length;
    const late = performance.now() + PATIENCE_MS;
    while (!(await isTrue())) {
      if (this.child === null || performance.now() > late)
        throw new Error(`waited in vain until ${what()}:\n${this.said.slice(Math.max(0, from - 2000))}`);
      await sleep(LOOK_MS);
    }
  }

  private environment(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      // Not that of whoever works here.
      ENV_FILE: '/dev/null',
      DATA_DIR: this.dataDir,
      ANNALS_ADMIN_KEY: ADMIN_KEY,
      RATE_LIMIT_RPM: '1000000000',
    };
  }
}

/** The processes whose working folder is in `folder`. Without /proc there is nothing to see. */
export function processesIn(folder: string): number[] {
  return processIds().filter((pid) => linkOf(pid).startsWith(folder));
}

const processesNaming = (path: string): number[] =>
  processIds().filter((pid) => pid !== process.pid && commandOf(pid).includes(path));

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

const linkOf = (pid: number): string => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
};

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Resident memory of a process in bytes; 0 where the system does not say. */
export function memoryOf(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** How many files and connections a process has open. @throws Error where it is gone, or without /proc */
export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

export function startScript(): string {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return scripts.start;
}
