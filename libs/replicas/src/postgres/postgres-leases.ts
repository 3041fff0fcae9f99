import { Leases } from '../heartbeats.js';
import { type ReplicaDatabase, SCHEMA } from './replica-database.js';

const TAKE = `INSERT INTO ${SCHEMA}.leases AS held (name, holder, fence, held_until)
  VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET
    fence = held.fence + CASE WHEN held.holder = excluded.holder THEN 0 ELSE 1 END,
    holder = excluded.holder,
    held_until = excluded.held_until
  WHERE held.holder = excluded.holder OR held.held_until < clock_timestamp()
  RETURNING fence::float8 AS fence`;

const RELEASE = `UPDATE ${SCHEMA}.leases SET held_until = '-infinity' WHERE name = $1 AND holder = $2`;

const RELEASE_ALL = `UPDATE ${SCHEMA}.leases SET held_until = '-infinity' WHERE holder = $1`;

/** Leases as rows of a PostgreSQL that all replicas share, by its clock. */
export class PostgresLeases extends Leases {
  constructor(private readonly database: ReplicaDatabase) {
    super();
  }

  override async take(name: string, holder: string, leaseMs: number): Promise<number | null> {
    const [row] = await this.database.query<{ fence: number }>(TAKE, [name, holder, Math.ceil(leaseMs)]);
    return row?.fence ?? null;
  }

  override async release(name: string, holder: string): Promise<void> {
    await this.database.query(RELEASE, [name, holder]);
  }

  override async releaseAll(holder: string): Promise<void> {
    await this.database.query(RELEASE_ALL, [holder]);
  }
}
