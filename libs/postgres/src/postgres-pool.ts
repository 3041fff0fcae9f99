import { Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { hearErrors } from '#platform';
import { type ConnectionOptions, configOf } from './connection.js';

export interface PoolOptions extends ConnectionOptions {
  /** At most. */
  readonly connections: number;
  /** How long one stays that nobody uses; 0: for ever. */
  readonly idleTimeoutMs: number;
  /** What an error of the driver, the server or a transaction's work is outside; it may hold neither address nor values. */
  readonly failure: (error: unknown) => Error;
  /** Hears of connections that broke while nothing was asked. */
  readonly onLost?: (error: Error) => void;
}

/** What TypeORM takes as its driver, in place of the module `pg`. */
export interface PoolDriver {
  readonly Pool: new () => Pool;
}

/**
 * The connections of a process to one database, for one purpose. Owns them.
 * 1. It outlives restarts of the server: a connection that breaks is dropped, the next statement opens another. The
 *    statements under way fail, and are not sent again: nobody knows whether they were carried out.
 * 2. Errors leave it as `failure` makes them, never as the driver's.
 *
 * The read models, the documents' index and every list share one. Two purposes have another on the same database, because
 * they must not wait behind a list: heartbeats, and the keys without which nothing can be read.
 */
export class PostgresPool {
  private readonly pool: Pool;
  private whenClosed: Promise<void> | null = null;

  constructor(private readonly options: PoolOptions) {
    const { connections, idleTimeoutMs, onLost } = options;
    this.pool = new Pool({
      ...configOf(options),
      max: connections,
      idleTimeoutMillis: idleTimeoutMs,
      onConnect: hearErrors,
    });
    // Invariant 1: it is noticed when the next statement needs it.
    this.pool.on('error', (error) => onLost?.(error));
  }

  /** @param timeoutMs instead of the pool's own. @throws what `failure` makes of it */
  async query<R extends QueryResultRow>(config: QueryConfig, timeoutMs?: number): Promise<QueryResult<R>> {
    // The driver takes a time-out of its own for a statement; its types do not say so.
    const timed: QueryConfig & { query_timeout?: number } =
      timeoutMs === undefined ? config : { ...config, query_timeout: timeoutMs };
    try {
      return await this.pool.query<R>(timed);
    } catch (error) {
      throw this.options.failure(error);
    }
  }

  /** Commits when `work` returns, unless it returns false. @throws what `failure` makes of it */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | null = null;
    try {
      client = await this.pool.connect();
      await client.query('BEGIN');
      const result = await work(client);
      await client.query(result === false ? 'ROLLBACK' : 'COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Whatever it was in the middle of goes with the connection.
      client?.release(true);
      throw this.options.failure(error);
    }
  }

  /** The same, one at a time among all processes that name the same lock: any number that nobody else takes. */
  inTurn<T>(lock: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
      return work(client);
    });
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
}
