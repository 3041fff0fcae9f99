import type { QueryConfig, QueryResult } from 'pg';
import type { SelectQueryBuilder } from 'typeorm';
import { Backoff, type Background, type Clock, type Logger, type Random, closeInOrder } from '#platform';
import {
  type TransactionClient,
  type DatabaseAddress,
  EmbeddedPostgres,
  type Fields,
  type StoredRow,
  type Table,
  errorCodeOf,
} from '#postgres';
import { ReadModelsRefused, ReadModelsUnavailable } from '../unavailable.js';
import { type OpenDatabase, connect, migrate } from './data-source.js';
import { isDataUnusable, translated } from './errors.js';

export interface DatabaseOptions {
  /** Absent: a PostgreSQL of our own. */
  readonly databaseUrl?: string;
  /** Where its data lies, e.g. DATA_DIR/postgres. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** What is asked of a table, over the names of its columns. */
export type Narrow = (select: SelectQueryBuilder<StoredRow>) => SelectQueryBuilder<StoredRow>;

const PAUSES = { firstMs: 100, longestMs: 5_000 };
/** No statement of ours takes that long; a server that was stopped would keep us waiting for ever. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * The database of the read models, as long as the service runs. Owns its connections and, where it is our own, the server.
 * 1. Whatever uses it meets ReadModelsUnavailable while it is not there, never a wait for its start.
 * 2. No error that leaves it, and no log line, holds the URL.
 */
export class Database {
  /** Resolves when the tables are there. Rejects with ReadModelsRefused, where nothing but the operator can help. */
  readonly ready: Promise<void>;
  private connected: OpenDatabase | null = null;
  /** Where our own server listens, once it was started. */
  private running: DatabaseAddress | null = null;
  private readonly embedded: EmbeddedPostgres | null;
  private hasDiscarded = false;
  private readonly closing = new AbortController();
  private problem: string | null = 'the database is starting';
  private readonly whenOpened: Promise<void>;

  constructor(private readonly options: DatabaseOptions) {
    this.embedded = options.databaseUrl === undefined ? new EmbeddedPostgres(options.folder, options) : null;
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // Whoever does not wait for it learns of a refusal from the health.
    this.ready.catch(() => undefined);
    const opened = Promise.withResolvers<void>();
    this.whenOpened = opened.promise;
    options.background.start('open the database', async () => {
      await this.open().then(ready.resolve, ready.reject).finally(opened.resolve);
    });
  }

  get isOpen(): boolean {
    return this.connected !== null;
  }

  /** Whether the server is our own, with nothing in it but what is ours. */
  get isOwn(): boolean {
    return this.embedded !== null;
  }

  /** What is wrong, in a line for an operator; null: nothing. */
  async health(): Promise<string | null> {
    if (this.connected === null) return this.problem;
    try {
      await this.query({ text: 'SELECT 1', values: [] }, 1_000);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** @throws ReadModelsUnavailable, DatabaseFault */
  async query(config: QueryConfig, timeoutMs = STATEMENT_TIMEOUT_MS): Promise<QueryResult> {
    return this.opened.pool.query(config, timeoutMs);
  }

  /** Commits when `work` returns, unless it returns false. @throws ReadModelsUnavailable, DatabaseFault; what `work` throws */
  async transaction(work: (client: TransactionClient) => Promise<boolean>): Promise<boolean> {
    return this.opened.pool.transaction(work);
  }

  /** Reads rows of a list's table, under the alias of the table's name. @throws ReadModelsUnavailable, DatabaseFault */
  async find(table: Table<Fields>, narrow: Narrow): Promise<StoredRow[]> {
    try {
      return await narrow(this.selecting(table)).getMany();
    } catch (error) {
      throw translated(error);
    }
  }

  /** The same where only some columns are asked for, each under a name. @throws ReadModelsUnavailable, DatabaseFault */
  async findRaw<T extends object>(table: Table<Fields>, narrow: Narrow): Promise<T[]> {
    try {
      return await narrow(this.selecting(table)).getRawMany<T>();
    } catch (error) {
      throw translated(error);
    }
  }

  /** Lets go of the connections, ends our own server; within seconds, whatever they do. */
  async close(): Promise<void> {
    this.closing.abort(new ReadModelsUnavailable('the database is closed'));
    this.problem = 'the database is closed';
    await closeInOrder(
      () => this.disconnect(),
      () => this.whenOpened,
      // It may have been opened until now.
      () => this.disconnect(),
    );
  }

  private async disconnect(): Promise<void> {
    const { connected } = this;
    this.connected = null;
    // Our own server ends the connections that still wait for it.
    const patience = new AbortController();
    const ended = connected?.source.destroy().catch(() => undefined);
    await this.embedded?.stop();
    await Promise.race([
      ended,
      this.options.clock.sleep(CLOSE_TIMEOUT_MS, patience.signal).catch(() => undefined),
    ]);
    patience.abort();
  }

  private selecting({ name }: Table<Fields>): SelectQueryBuilder<StoredRow> {
    return this.opened.source.getRepository<StoredRow>(name).createQueryBuilder(name);
  }

  private get opened(): OpenDatabase {
    if (this.connected === null) throw new ReadModelsUnavailable(this.problem ?? 'the database is closed');
    return this.connected;
  }

  private async open(): Promise<void> {
    const { clock, logger } = this.options;
    const backoff = new Backoff(clock, PAUSES);
    for (;;) {
      try {
        const address = await this.address();
        this.connected = await connect(address);
        this.problem = null;
        return;
      } catch (error) {
        if (error instanceof ReadModelsRefused) this.problem = error.message;
        if (error instanceof ReadModelsRefused) throw error;
        this.closing.signal.throwIfAborted();
        this.problem = this.lineOf(error);
        logger.error(
          { reason: this.problem },
          'the database for the read models cannot be opened; trying again',
        );
        await this.discardIfUnusable(error);
        await backoff.wait(this.closing.signal);
        this.closing.signal.throwIfAborted();
      }
    }
  }

  /** Of our own server's data nothing is missed: the log fills a new one. Once, because a second time it was not the data. */
  private async discardIfUnusable(error: unknown): Promise<void> {
    if (this.embedded === null || this.hasDiscarded || !isDataUnusable(error)) return;
    this.hasDiscarded = true;
    await this.embedded.discard(this.problem ?? 'its data cannot be used');
  }

  private async address(): Promise<DatabaseAddress> {
    const { databaseUrl, background } = this.options;
    if (this.embedded === null) return { url: checkedUrl(databaseUrl ?? '') };
    if (this.running === null) {
      this.running = await this.embedded.start();
      background.start('keep the embedded PostgreSQL running', () =>
        this.embedded!.keepRunning(() => this.renew()),
      );
    }
    return this.running;
  }

  /** Our own server came back, perhaps with nothing in it. */
  private renew(): void {
    const { connected } = this;
    if (connected === null) return;
    this.options.background.start('migrate the database', () => migrate(connected.source));
  }

  /** Invariant 2: of errors from outside only the code is told. */
  private lineOf(error: unknown): string {
    if (this.embedded !== null && errorCodeOf(error) === null)
      return error instanceof Error ? error.message : String(error);
    return translated(error).message;
  }
}

function checkedUrl(url: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ReadModelsRefused('DATABASE_URL: it must be postgres://user:password@host:port/database');
  return url;
}
