import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Backoff, type Clock, type Logger, type Random } from '#platform';
import type { ConnectionSettings } from '../connection.js';
import { type Account, chooseAccount } from './account.js';
import { type Binaries, findBinaries } from './binaries.js';
import { DATABASE_USER, DataFolder } from './data-folder.js';
import { endPredecessor, findPredecessor } from './predecessor.js';
import { freePort, majorVersion, PostgresProcess } from './postgres-process.js';

export interface EmbeddedPostgresPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What one process takes, with some to spare. */
const CONNECTIONS = 14;
const PAUSES = { firstMs: 100, longestMs: 5_000 };

/**
 * A PostgreSQL of our own, a child process. Owns the data folder and whatever runs in it.
 * 1. At most one postmaster works in the folder: what a killed service left is ended before the next one starts.
 * 2. It does not outlive us: a watchdog ends it when we are killed.
 * 3. Nothing that the log does not hold lives in it, so a folder that cannot be opened is set aside, never repaired.
 * 4. When it dies while we run it is started again, on the same port and with the same password.
 */
export class EmbeddedPostgres {
  private readonly folder: DataFolder;
  private process: PostgresProcess | null = null;
  private port = 0;
  private programs: { binaries: Binaries; account: Account; version: string } | null = null;
  private readonly stopping = new AbortController();
  /** Why the data is not to be used any more. */
  private discarded: string | null = null;

  /** @param folder of the data, e.g. DATA_DIR/postgres */
  constructor(
    folder: string,
    private readonly ports: EmbeddedPostgresPorts,
    private readonly connections = CONNECTIONS,
  ) {
    this.folder = new DataFolder(resolve(folder), ports.random);
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves when it takes connections. @throws Error with a line for the operator */
  async start(): Promise<ConnectionSettings> {
    mkdirSync(dirname(this.folder.path), { recursive: true });
    this.programs ??= await this.findPrograms();
    await this.open();
    return {
      host: '127.0.0.1',
      port: this.port,
      user: DATABASE_USER,
      password: this.folder.password,
      database: 'postgres',
    };
  }

  /** Starts it again each time it dies, until stop; `restarted` is called each time it takes connections again. */
  async keepRunning(restarted: () => void): Promise<void> {
    const { clock, logger } = this.ports;
    const backoff = new Backoff(clock, PAUSES);
    for (;;) {
      const since = clock.now();
      const how = (await this.process?.ended) ?? 'it was not started';
      if (this.stopping.signal.aborted) return;
      if (clock.now() - since > PAUSES.longestMs) backoff.reset();
      logger.error({ how }, 'the embedded PostgreSQL ended: it is started again');
      await backoff.wait(this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      try {
        await this.open();
        restarted();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        logger.error({ err: error }, 'the embedded PostgreSQL could not be started again');
      }
    }
  }

  /** Invariant 3, where only its user can tell: it is ended, and started again by `keepRunning` with nothing in it. */
  async discard(reason: string): Promise<void> {
    this.discarded = reason;
    await this.process?.stop();
  }

  /** Ends it in order, within 7 s whatever happens. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.process?.stop();
  }

  private async findPrograms(): Promise<{ binaries: Binaries; account: Account; version: string }> {
    const binaries = await findBinaries();
    const account = chooseAccount(dirname(binaries.postgres), this.folder.path);
    return { binaries, account, version: await majorVersion(binaries, account) };
  }

  private async open(): Promise<void> {
    await this.replacePredecessor();
    this.setAsideIf(this.discarded ?? this.folder.unusable(this.programs!.version));
    this.discarded = null;
    if (!this.folder.exists) await this.create();
    try {
      await this.launch();
    } catch (first) {
      this.stopping.signal.throwIfAborted();
      this.ports.logger.warn({ err: first }, 'the embedded PostgreSQL did not start; trying once more');
      // A port may have been taken, or the last process of a predecessor may just have ended.
      await this.replacePredecessor();
      await this.launch().catch((second: unknown) => this.launchAnew(second));
    }
  }

  /** Invariant 3. */
  private async launchAnew(reason: unknown): Promise<void> {
    this.stopping.signal.throwIfAborted();
    this.setAsideIf(reason instanceof Error ? reason.message : String(reason));
    await this.create();
    await this.launch();
  }

  /** Invariant 1. */
  private async replacePredecessor(): Promise<void> {
    if (!this.folder.exists) return;
    const found = findPredecessor(this.folder.path);
    if (found === null) return;
    const by = await endPredecessor(found, this.folder.path);
    this.ports.logger.warn(
      { ...found, by },
      'replaced the PostgreSQL that an earlier process left in the data folder',
    );
  }

  /** Invariant 3. */
  private setAsideIf(reason: string | null): void {
    if (reason === null) return;
    const name = this.folder.setAside();
    this.ports.logger.warn(
      { reason, name },
      'set aside a database that cannot be opened; it is rebuilt from the log',
    );
  }

  private async create(): Promise<void> {
    const { binaries, account } = this.programs!;
    const since = this.ports.clock.now();
    await this.folder.create(binaries, account);
    this.ports.logger.info(
      { ms: this.ports.clock.now() - since, account: account.name },
      'made a new database for the read models',
    );
  }

  private async launch(): Promise<void> {
    this.stopping.signal.throwIfAborted();
    const { binaries, account } = this.programs!;
    const port = this.port === 0 ? await freePort() : this.port;
    const { connections } = this;
    this.process = await PostgresProcess.start({
      binaries,
      account,
      folder: this.folder.path,
      port,
      connections,
    });
    // Only a port at which it ran is kept (invariant 4).
    this.port = port;
    if (this.stopping.signal.aborted) await this.process.stop();
  }
}
