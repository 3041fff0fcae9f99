import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';

/**
 * Settings for a small database whose content can be made anew from the log, but that need not be after each crash:
 * it syncs to disk, though lazily (a commit waits for nothing; the WAL is synced every 10 s or 16 MB), because syncs
 * compete with those of the log.
 */
const SETTINGS: Readonly<Record<string, string | number>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  superuser_reserved_connections: 1,
  shared_buffers: '16MB',
  work_mem: '2MB',
  maintenance_work_mem: '16MB',
  synchronous_commit: 'off',
  wal_writer_delay: '10s',
  wal_writer_flush_after: '16MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  // A file that is used again holds what was deleted.
  wal_recycle: 'off',
  wal_init_zero: 'off',
  checkpoint_timeout: '15min',
  // Processes and threads that so small a database does without.
  io_method: 'sync',
  max_worker_processes: 0,
  max_parallel_workers: 0,
  max_logical_replication_workers: 0,
  autovacuum_max_workers: 1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Starts the program, and before it a process that ends it when the pipe breaks that only we hold: so it goes when we
 * are killed. A line in the pipe sends that watchdog home. It looks into postmaster.pid before it kills, because pids
 * are used again; one that is just starting has not written its own yet.
 */
const LAUNCH = `folder=$1; shift; self=$$
is_there() { read -r pid < "$folder/postmaster.pid" && [ "$pid" = "$self" ]; }
( (
  trap '' INT TERM HUP
  cd /
  exec > /dev/null 2>&1
  read -r word <&3 && exit
  for signal in INT INT INT QUIT KILL; do is_there && kill -$signal "$self"; sleep 1; done
) & )
exec "$@" 3<&-`;

const READY = 'database system is ready to accept connections';
const STARTING_MS = 60_000;
const KEPT_LINES = 20;

/** A running PostgreSQL, a child of this process. */
export class PostgresProcess {
  /** Resolves when it has ended, with a line that says how. Never rejects. */
  readonly ended: Promise<string>;
  private readonly lines: string[] = [];
  private isRunning = true;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => this.noteEnd(error.message, resolve));
      child.on('exit', (code, signal) => this.noteEnd(signal ?? `code ${code}`, resolve));
    });
  }

  /** Resolves when it takes connections. @throws Error with what it said, if it ends before */
  static async start(options: {
    binaries: Binaries;
    account: Account;
    folder: string;
    port: number;
    connections: number;
  }): Promise<PostgresProcess> {
    const { binaries, account, folder, port, connections } = options;
    const own = { ...SETTINGS, max_connections: connections };
    const settings = Object.entries(own).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const postgres = account.command(binaries.postgres, ['-D', folder, '-p', String(port), ...settings]);
    const child = spawn('sh', ['-c', LAUNCH, 'sh', folder, postgres.file, ...postgres.args], {
      ...account.spawn,
      cwd: folder,
      // A session of its own: what a terminal sends to our group is for us, and we end it in order.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    const started = new PostgresProcess(child, port);
    await started.becomesReady();
    return started;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Fast shutdown; after `graceMs` at once. */
  async stop(graceMs = 5_000): Promise<void> {
    for (const [signal, ms] of [
      ['SIGINT', graceMs],
      ['SIGQUIT', 1_000],
      ['SIGKILL', 1_000],
    ] as const) {
      if (!this.isRunning) return;
      this.child.kill(signal);
      await this.endsWithin(ms);
    }
  }

  private async endsWithin(ms: number): Promise<void> {
    const limit = new AbortController();
    await Promise.race([this.ended, sleep(ms, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
  }

  private async becomesReady(): Promise<void> {
    const ready = new Promise<'ready'>((resolve) => {
      createInterface({ input: this.child.stderr! }).on('line', (line) => {
        if (line.includes(READY)) resolve('ready');
        this.lines.push(line);
        if (this.lines.length > KEPT_LINES) this.lines.shift();
      });
    });
    const limit = new AbortController();
    const late = sleep(STARTING_MS, 'it was not ready in time', { signal: limit.signal }).catch(
      () => 'stopped',
    );
    const first = await Promise.race([ready, this.ended, late]);
    limit.abort();
    if (first === 'ready') return;
    await this.stop(0);
    throw new Error(`PostgreSQL did not start: ${first}`);
  }

  private noteEnd(how: string, resolve: (line: string) => void): void {
    this.isRunning = false;
    const watchdog = this.child.stdio[3] as Writable | null;
    // It may be gone already.
    watchdog?.on('error', () => undefined).end('done\n');
    const said = this.lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? this.lines.at(-1) ?? '';
    resolve(`${how}: ${said.replace(/^.*?(?=FATAL|PANIC)/, '')}`);
  }
}

/** A port of the loopback that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** The major version of the programs, as a data folder states it. */
export function majorVersion(binaries: Binaries, account: Account): Promise<string> {
  const command = account.command(binaries.postgres, ['--version']);
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      ...account.spawn,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.on('error', reject);
    child.on('close', () => {
      const version = / (\d+)\./.exec(text)?.[1];
      if (version === undefined) reject(new Error('the programs of PostgreSQL cannot be run'));
      else resolve(version);
    });
  });
}
