import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { freePort } from './free-port.js';
import { PATIENCE_MS } from './until.js';

const PROGRAMS = ['mariadbd', 'mariadb-install-db'] as const;

/** Whether Debian's package mariadb-server is there. */
export function hasMariadb(): boolean {
  try {
    for (const program of PROGRAMS) execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A MariaDB of the system, with a folder of its own. */
export class Mariadb {
  private constructor(
    private readonly folder: string,
    private readonly process: ChildProcess,
    readonly port: number,
  ) {}

  static async start(): Promise<Mariadb> {
    const folder = mkdtempSync(join(tmpdir(), 'annals-mariadb-'));
    // The server runs as another user, who must be able to enter.
    chmodSync(folder, 0o755);
    const user = userInfo().uid === 0 ? ['--user=mysql'] : [];
    const data = `--datadir=${join(folder, 'data')}`;
    const install = ['--no-defaults', data, ...user, '--auth-root-authentication-method=normal'];
    // What it says stands in the error, where it fails.
    execFileSync('mariadb-install-db', [...install, '--skip-test-db'], { stdio: 'pipe' });
    const port = await freePort();
    const socket = `--socket=${join(folder, 'data', 'mariadb.sock')}`;
    const process = spawn(
      'mariadbd',
      [
        '--no-defaults',
        data,
        ...user,
        socket,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-log-bin',
      ],
      { stdio: 'ignore' },
    );
    const started = new Mariadb(folder, process, port);
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        await (await started.connect()).end();
        return started;
      } catch (error) {
        if (Date.now() > end) throw error;
        await sleep(100);
      }
    }
  }

  /** As root, who may do everything. */
  connect(database?: string): Promise<Connection> {
    return createConnection({
      host: '127.0.0.1',
      port: this.port,
      user: 'root',
      multipleStatements: true,
      ...(database === undefined ? {} : { database }),
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
