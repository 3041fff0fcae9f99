import { type Heartbeat, Heartbeats } from '../replicas/heartbeats.js';
import { type ReplicaDatabase, SCHEMA } from './replica-database.js';

interface Row {
  readonly replica: string;
  readonly silent_ms: number;
  readonly lease_ms: number;
  readonly has_left: boolean;
}

const BEAT = `INSERT INTO ${SCHEMA}.heartbeats (replica, beat_at, lease_ms)
  VALUES ($1, clock_timestamp(), $2)
  ON CONFLICT (replica) DO UPDATE SET beat_at = excluded.beat_at, lease_ms = excluded.lease_ms, left_at = NULL`;

const LEAVE = `UPDATE ${SCHEMA}.heartbeats SET left_at = clock_timestamp() WHERE replica = $1`;

/** By the clock of the database: those of the replicas need not agree. */
const ALL = `SELECT replica, lease_ms, left_at IS NOT NULL AS has_left,
    extract(epoch FROM clock_timestamp() - beat_at)::float8 * 1000 AS silent_ms
  FROM ${SCHEMA}.heartbeats`;

const FORGET = `DELETE FROM ${SCHEMA}.heartbeats WHERE beat_at < clock_timestamp() - interval '1 day'`;

/** Heartbeats as rows of a PostgreSQL that all replicas share: one row for each, renewed in place. */
export class PostgresHeartbeats extends Heartbeats {
  private hasForgotten = false;

  constructor(private readonly database: ReplicaDatabase) {
    super();
  }

  override async beat(replica: string, leaseMs: number): Promise<void> {
    await this.database.query(BEAT, [replica, Math.ceil(leaseMs)]);
    if (this.hasForgotten) return;
    this.hasForgotten = true;
    await this.database.query(FORGET);
  }

  override async all(): Promise<readonly Heartbeat[]> {
    const rows = await this.database.query<Row & Record<string, unknown>>(ALL);
    return rows.map(({ replica, silent_ms: silentMs, lease_ms: leaseMs, has_left: hasLeft }) => ({
      replica,
      silentMs,
      leaseMs,
      hasLeft,
    }));
  }

  override async leave(replica: string): Promise<void> {
    await this.database.query(LEAVE, [replica]);
  }
}
