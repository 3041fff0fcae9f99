import { raw, sql, statement } from '#postgres';
import { type EndSign, type Heartbeat, Heartbeats } from '../heartbeats.js';
import { LIVENESS_LOCK_CLASS, type LivenessLock } from './liveness-lock.js';
import { type ReplicaDatabase, SCHEMA } from './replica-database.js';

interface Row {
  readonly replica: string;
  readonly silent_ms: number;
  readonly lease_ms: number;
  readonly has_left: boolean;
  readonly process: string | null;
  readonly is_cut: boolean;
}

/** Sees whether processes of this place still run. */
export interface ProcessWatch {
  /** Names this process to others of its place. */
  readonly own: string;
  /** Whether the process that a text names has certainly ended. */
  readonly hasEnded: (named: string) => boolean;
}

/** Locks of this database that are held by two numbers, the second of which names a replica's connection. */
const HELD_LOCKS = `SELECT objid::bigint AS pulse, pid FROM pg_locks
  WHERE locktype = 'advisory' AND classid::bigint = ${LIVENESS_LOCK_CLASS} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

interface Beat {
  readonly replica: string;
  readonly leaseMs: number;
  readonly process: string;
  readonly pulse: number;
}

/** A pooler may put a beat on another connection than the lock: then the lock says nothing of this process. */
const BEAT =
  statement(sql<Beat>`INSERT INTO ${raw(SCHEMA)}.heartbeats (replica, beat_at, lease_ms, process, server_started, pulse)
  SELECT ${({ replica }) => replica}, clock_timestamp(), ${({ leaseMs }) => Math.ceil(leaseMs)}::integer,
    ${({ process }) => process}, pg_postmaster_start_time(),
    (SELECT pulse::integer FROM (${raw(HELD_LOCKS)}) AS held
      WHERE pulse = ${({ pulse }) => pulse} AND pid = pg_backend_pid())
  ON CONFLICT (replica) DO UPDATE SET beat_at = excluded.beat_at, lease_ms = excluded.lease_ms, left_at = NULL,
    process = excluded.process, server_started = excluded.server_started, pulse = excluded.pulse`);

const LEAVE = statement(sql<string>`
  UPDATE ${raw(SCHEMA)}.heartbeats SET left_at = clock_timestamp() WHERE replica = ${(replica) => replica}`);

/**
 * By the clock of the database: those of the replicas need not agree. Where the server has just dropped all connections, and
 * this one with them, the others are given the time to come back.
 */
const OWN_AGE_MS = 400;
const ALL = `SELECT replica, lease_ms, left_at IS NOT NULL AS has_left, process,
    extract(epoch FROM clock_timestamp() - beat_at)::float8 * 1000 AS silent_ms,
    coalesce(
      server_started = pg_postmaster_start_time()
      AND pulse NOT IN (SELECT pulse FROM (${HELD_LOCKS}) AS held)
      AND (SELECT clock_timestamp() - backend_start > interval '${OWN_AGE_MS} milliseconds'
        FROM pg_stat_activity WHERE pid = pg_backend_pid()),
      false) AS is_cut
  FROM ${SCHEMA}.heartbeats`;

const FORGET = `DELETE FROM ${SCHEMA}.heartbeats WHERE beat_at < clock_timestamp() - interval '1 day'`;

/** Heartbeats as rows of a PostgreSQL that all replicas share: one row for each, renewed in place. */
export class PostgresHeartbeats extends Heartbeats {
  private readonly livenessLock: LivenessLock;
  private hasForgotten = false;
  private last: { readonly replica: string; readonly leaseMs: number } | null = null;

  constructor(
    private readonly database: ReplicaDatabase,
    private readonly watch: ProcessWatch = NO_WATCH,
  ) {
    super();
    this.livenessLock = database.livenessLock(() => this.beatAgain());
  }

  override async beat(replica: string, leaseMs: number): Promise<void> {
    this.last = { replica, leaseMs };
    await this.beatAgain();
    if (this.hasForgotten) return;
    this.hasForgotten = true;
    await this.database.query({ text: FORGET });
  }

  override async all(): Promise<readonly Heartbeat[]> {
    const rows = await this.database.queryOver<Row & Record<string, unknown>>(this.livenessLock, () => ({
      text: ALL,
    }));
    return rows.map((row) => ({
      replica: row.replica,
      silentMs: row.silent_ms,
      leaseMs: row.lease_ms,
      hasLeft: row.has_left,
      sign: this.signOf(row),
    }));
  }

  override async leave(replica: string): Promise<void> {
    this.last = null;
    await this.database.query(LEAVE(replica));
  }

  private signOf({ replica, process, is_cut: isCut }: Row): EndSign {
    if (replica === this.last?.replica) return 'none';
    if (process !== null && this.watch.hasEnded(process)) return 'ended';
    return isCut ? 'cut' : 'none';
  }

  private async beatAgain(): Promise<void> {
    if (this.last === null) return;
    const { replica, leaseMs } = this.last;
    const { own: process } = this.watch;
    await this.database.queryOver(this.livenessLock, (pulse) => BEAT({ replica, leaseMs, process, pulse }));
  }
}

const NO_WATCH: ProcessWatch = { own: '', hasEnded: () => false };
