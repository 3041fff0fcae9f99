import type { QueryConfig, QueryResultRow } from 'pg';
import { type ConnectionOptions, PostgresPool, errorCodeOf, isMissingTable } from '#postgres';
import { LivenessLock, type LivenessLockPorts } from './liveness-lock.js';

/** Its tables stand in a schema of their own: they hold nothing that is missed when it is dropped. */
export const SCHEMA = 'annals_replicas';

export interface ReplicaDatabaseOptions {
  /** `postgres://…`, the one that all replicas share. */
  readonly url: string;
  /** No statement may take longer: a heartbeat that comes late is none. */
  readonly timeoutMs: number;
}

/** Heartbeats and leases cannot be read or written now. Its message holds no address and no secret. */
export class ReplicasUnavailable extends Error {
  override readonly name = 'ReplicasUnavailable';
}

/** Advisory lock of the migration; any number that nobody else takes. */
const LOCK = 0x72657073;
const CONNECTIONS = 2;
const IDLE_TIMEOUT_MS = 10_000;

const TABLES: readonly string[] = [
  `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
  `CREATE TABLE IF NOT EXISTS ${SCHEMA}.heartbeats (
    replica text PRIMARY KEY,
    beat_at timestamptz NOT NULL,
    lease_ms integer NOT NULL,
    left_at timestamptz
  )`,
  // What tells a death at once came later.
  `ALTER TABLE ${SCHEMA}.heartbeats
    ADD COLUMN IF NOT EXISTS pulse integer,
    ADD COLUMN IF NOT EXISTS server_started timestamptz,
    ADD COLUMN IF NOT EXISTS process text`,
  `CREATE TABLE IF NOT EXISTS ${SCHEMA}.leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    fence bigint NOT NULL,
    held_until timestamptz NOT NULL
  )`,
];

/**
 * Connections of their own, so that a heartbeat never waits behind a list. Owns them, and makes the tables when they are
 * not there.
 */
export class ReplicaDatabase {
  private readonly connection: ConnectionOptions;
  private readonly pool: PostgresPool;
  private readonly livenessLocks: LivenessLock[] = [];
  private hasTables = false;

  constructor(
    { url, timeoutMs }: ReplicaDatabaseOptions,
    private readonly ports: LivenessLockPorts,
  ) {
    this.connection = {
      address: { url },
      applicationName: 'annals replicas',
      connectTimeoutMs: timeoutMs,
      statementTimeoutMs: timeoutMs,
      isEndedByServer: true,
    };
    this.pool = new PostgresPool({
      ...this.connection,
      connections: CONNECTIONS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      failure: (error) => this.failed(error),
    });
  }

  /** A connection that is there as long as this process is. @param renewed tells the others of its new lock */
  livenessLock(renewed: () => Promise<void>): LivenessLock {
    const lock = new LivenessLock(this.connection, this.ports, renewed);
    this.livenessLocks.push(lock);
    return lock;
  }

  /** @throws ReplicasUnavailable */
  async query<R extends QueryResultRow>(config: QueryConfig): Promise<R[]> {
    await this.needTables();
    return (await this.pool.query<R>(config)).rows;
  }

  /** Over the connection of a liveness lock. @param asked of what its lock is called. @throws ReplicasUnavailable */
  async queryOver<R extends QueryResultRow>(
    lock: LivenessLock,
    asked: (lock: number) => QueryConfig,
  ): Promise<R[]> {
    await this.needTables();
    try {
      return await lock.query<R>(asked);
    } catch (error) {
      throw this.failed(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), ...this.livenessLocks.map((lock) => lock.close())]);
  }

  private async needTables(): Promise<void> {
    if (this.hasTables) return;
    await this.pool.inTurn(LOCK, async (client) => {
      for (const table of TABLES) await client.query(table);
    });
    this.hasTables = true;
  }

  private failed(error: unknown): ReplicasUnavailable {
    if (isMissingTable(error)) this.hasTables = false;
    const code = errorCodeOf(error) ?? 'no answer';
    return new ReplicasUnavailable(`the database does not take heartbeats (${code})`);
  }
}
