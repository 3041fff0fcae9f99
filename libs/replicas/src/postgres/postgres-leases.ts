import { raw, sql, statement } from '#postgres';
import { Leases } from '../heartbeats.js';
import { type ReplicaDatabase, SCHEMA } from './replica-database.js';

interface Wanted {
  readonly name: string;
  readonly holder: string;
  readonly leaseMs: number;
}
type Held = Omit<Wanted, 'leaseMs'>;
const name = (lease: Pick<Wanted, 'name'>): string => lease.name;
const holder = (lease: Pick<Wanted, 'holder'>): string => lease.holder;
const IN = raw(SCHEMA);

const TAKE = statement(sql<Wanted>`INSERT INTO ${IN}.leases AS held (name, holder, fence, held_until)
  VALUES (${name}, ${holder}, 1, clock_timestamp() + ${({ leaseMs }) => Math.ceil(leaseMs)} * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET
    fence = held.fence + CASE WHEN held.holder = excluded.holder THEN 0 ELSE 1 END,
    holder = excluded.holder,
    held_until = excluded.held_until
  WHERE held.holder = excluded.holder OR held.held_until < clock_timestamp()
  RETURNING fence::float8 AS fence`);

const LET_GO = raw(`UPDATE ${SCHEMA}.leases SET held_until = '-infinity'`);

const RELEASE = statement(sql<Held>`${LET_GO} WHERE name = ${name} AND holder = ${holder}`);

const RELEASE_ALL = statement(sql<Pick<Held, 'holder'>>`${LET_GO} WHERE holder = ${holder}`);

/** Leases as rows of a PostgreSQL that all replicas share, by its clock. */
export class PostgresLeases extends Leases {
  constructor(private readonly database: ReplicaDatabase) {
    super();
  }

  override async take(name: string, holder: string, leaseMs: number): Promise<number | null> {
    const [row] = await this.database.query<{ fence: number }>(TAKE({ name, holder, leaseMs }));
    return row?.fence ?? null;
  }

  override async release(name: string, holder: string): Promise<void> {
    await this.database.query(RELEASE({ name, holder }));
  }

  override async releaseAll(holder: string): Promise<void> {
    await this.database.query(RELEASE_ALL({ holder }));
  }
}
