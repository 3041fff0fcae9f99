import { Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { ignoreErrorEvents } from '#platform';
import { type ConnectionOptions, configOf, serverTimeoutMs } from './connection.js';
import { sql, statement } from './tables/sql.js';

export interface PoolOptions extends ConnectionOptions {
  /** At most. */
  readonly connections: number;
  /** How long one stays that nobody uses; 0: for ever. */
  readonly idleTimeoutMs: number;
  /** What an error of the driver or the server is outside; it may hold neither address nor values. */
  readonly failure: (error: unknown) => Error;
  /** Hears of connections that broke while nothing was asked. */
  readonly onLost?: (error: Error) => void;
}

const TAKE_TURN = statement(sql<number>`SELECT pg_advisory_xact_lock(${(lock) => lock})`);

/** The connection of a transaction, as its work sees it. */
export interface TransactionClient {
  /** @throws what the pool's `failure` makes of it */
  query<R extends QueryResultRow = QueryResultRow>(
    statement: string | QueryConfig,
    values?: readonly unknown[],
  ): Promise<QueryResult<R>>;
}

/** What TypeORM takes as its driver, in place of the module `pg`. */
export interface PoolDriver {
  readonly Pool: new () => Pool;
}

/**
 * The connections of a process to one database, for one purpose. Owns them.
 * 1. It outlives restarts of the server: a connection that breaks is dropped, the next statement opens another. The
 *    statements under way fail, and are not sent again: nobody knows whether they were carried out.
 * 2. Errors of the driver and the server leave it as `failure` makes them; those of a transaction's own work as they are.
 * 3. A statement of a transaction that takes too long is ended by the server a little before we give it up: left to itself
 *    it would go on behind our back, with the locks that the next try waits for.
 *
 * The read models, the documents' index and every list share one. Two purposes have another on the same database, because
 * they must not wait behind a list: heartbeats, and the keys without which nothing can be read.
 */
export class PostgresPool {
  private readonly pool: Pool;
  private readonly clients = new Set<PoolClient>();
  private whenClosed: Promise<void> | null = null;
  /** What begins a transaction. */
  private readonly begin: string;

  constructor(private readonly options: PoolOptions) {
    const { connections, idleTimeoutMs, onLost, statementTimeoutMs } = options;
    // Invariant 3. In the statement that begins it, because that costs nothing and poolers let it through.
    this.begin = `BEGIN; SET LOCAL statement_timeout = ${serverTimeoutMs(statementTimeoutMs)}`;
    this.pool = new Pool({
      ...configOf(options),
      max: connections,
      idleTimeoutMillis: idleTimeoutMs,
      onConnect: ignoreErrorEvents,
    });
    this.pool.on('connect', (client) => this.clients.add(client));
    this.pool.on('remove', (client) => this.clients.delete(client));
    // Invariant 1: it is noticed when the next statement needs it.
    this.pool.on('error', (error) => onLost?.(error));
  }

  /** @param timeoutMs instead of the pool's own. @throws what `failure` makes of it */
  async query<R extends QueryResultRow>(config: QueryConfig, timeoutMs?: number): Promise<QueryResult<R>> {
    // The driver takes a time-out of its own for a statement; its types do not say so.
    const timed: QueryConfig & { query_timeout?: number } =
      timeoutMs === undefined ? config : { ...config, query_timeout: timeoutMs };
    return this.asking(() => this.pool.query<R>(timed));
  }

  /** Commits when `work` returns, unless it returns false. @throws what `work` throws, and what `failure` makes */
  async transaction<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    const connection = await this.asking(() => this.pool.connect());
    const client: TransactionClient = {
      query: (statement, values) => this.asking(() => connection.query(statement, values && [...values])),
    };
    try {
      await client.query(this.begin);
      const result = await work(client);
      await client.query(result === false ? 'ROLLBACK' : 'COMMIT');
      connection.release();
      return result;
    } catch (error) {
      // Whatever it was in the middle of goes with the connection.
      connection.release(true);
      throw error;
    }
  }

  /** The same, one at a time among all processes that name the same lock: any number that nobody else takes. */
  inTurn<T>(lock: number, work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.transaction(async (client) => {
      await client.query(TAKE_TURN(lock));
      return work(client);
    });
  }

  /** Invariant 2. */
  private async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.options.failure(error);
    }
  }

  /** Lets TypeORM work over these connections. */
  get driver(): PoolDriver {
    const { pool } = this;
    return {
      Pool: function () {
        return pool;
      } as unknown as PoolDriver['Pool'],
    };
  }

  /** Resolves when every connection is given back and ended. */
  close(): Promise<void> {
    // TypeORM ends it, too.
    this.whenClosed ??= this.pool.ending ? Promise.resolve() : this.pool.end();
    return this.whenClosed;
  }

  /** Ends every connection, also those that are not given back: whoever failed may have kept one. */
  destroy(): void {
    void this.close();
    for (const client of this.clients) void client.end().catch(() => undefined);
  }
}
