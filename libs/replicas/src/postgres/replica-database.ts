import { type ClientConfig, Pool, type QueryResultRow } from 'pg';
import { hearErrors } from '#platform';
import { Pulse, type PulsePorts, type PulseQuery } from './pulse.js';

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

/** Any number that nobody else takes: whoever makes the tables holds the lock of it. */
const LOCK = 0x72657073;
const UNDEFINED_TABLE = '42P01';
const INVALID_SCHEMA = '3F000';

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
  private readonly config: ClientConfig;
  private readonly pool: Pool;
  private readonly pulses: Pulse[] = [];
  private hasTables = false;

  constructor(
    { url, timeoutMs }: ReplicaDatabaseOptions,
    private readonly ports: PulsePorts,
  ) {
    this.config = {
      connectionString: url,
      application_name: 'annals replicas',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      statement_timeout: timeoutMs,
      keepAlive: true,
    };
    this.pool = new Pool({ ...this.config, max: 2, onConnect: hearErrors });
    // Errors of idle connections are noticed by the next statement.
    this.pool.on('error', () => undefined);
  }

  /** A connection that is there as long as this process is. @param renewed tells the others of its new lock */
  pulse(renewed: () => Promise<void>): Pulse {
    const pulse = new Pulse(this.config, this.ports, renewed);
    this.pulses.push(pulse);
    return pulse;
  }

  /** @param over absent: any of the others. @throws ReplicasUnavailable */
  async query<R extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    over?: PulseQuery,
  ): Promise<R[]> {
    try {
      if (!this.hasTables) await this.makeTables();
      this.hasTables = true;
      return over === undefined
        ? (await this.pool.query<R>(text, [...values])).rows
        : await over.query<R>(text, values);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === UNDEFINED_TABLE || code === INVALID_SCHEMA) this.hasTables = false;
      const shown = typeof code === 'string' && /^[A-Z0-9_]{1,20}$/.test(code) ? code : 'no answer';
      throw new ReplicasUnavailable(`the database does not take heartbeats (${shown})`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), ...this.pulses.map((pulse) => pulse.close())]);
  }

  private async makeTables(): Promise<void> {
    const client = await this.pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      for (const table of TABLES) await client.query(table);
      await client.query('COMMIT');
      isBroken = false;
    } finally {
      client.release(isBroken);
    }
  }
}
