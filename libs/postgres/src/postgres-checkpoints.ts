import type { QueryConfig, QueryResult } from 'pg';
import type { Position } from '#domain';
import { type RowOf, NOTHING_SEALED, readRow, table } from './tables/table.js';
import { changing, text, whole } from './tables/fields.js';
import { type Sql, raw, sql, statement } from './tables/sql.js';
import { assignments, namesOf } from './tables/table-statements.js';

export const CHECKPOINTS = table(
  'checkpoints',
  { key: ['name'] },
  {
    name: text('name'),
    logId: changing(text('log_id')),
    position: changing(whole<Position>('position')),
  },
);

/** Everything of the log up to the position was applied. */
export type Checkpoint = Readonly<Pick<RowOf<typeof CHECKPOINTS>, 'logId' | 'position'>>;

export interface CheckpointMove {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
}

/** Another process moved the checkpoint: what it wrote stands, and this one reads on from there. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

/** A pool or one of its connections. */
export interface Queries {
  query(config: QueryConfig): Promise<QueryResult>;
}

/**
 * Checkpoint of a projection, in a row next to its tables: both are written in one transaction, and only if the
 * checkpoint is still where the batch begins (optimistic concurrency), so that each batch is applied by one process.
 *
 * Other checkpoints are stored elsewhere, by rules of their own: those of erasure with the keys, where they only move
 * forwards, since erasing is idempotent; that of callbacks as an event that names the open runs; that of Kafka as a
 * record in the producer's transaction.
 */
export class PostgresCheckpoints {
  /** Moves the checkpoint if it stands at `from`; a piece of a statement that writes rows, too. */
  readonly move: Sql<CheckpointMove>;
  private readonly ofLoad: () => QueryConfig;
  private readonly ofBegin: (logId: string) => QueryConfig;
  private readonly ofMove: (move: CheckpointMove) => QueryConfig;

  /** @param name of the follower, among those that keep their checkpoint in the schema */
  constructor(schema: string, name: string) {
    const checkpoints = raw(`${schema}.${CHECKPOINTS.name}`);
    const named = () => name;
    this.move = sql<CheckpointMove>`UPDATE ${checkpoints} SET ${assignments(
      CHECKPOINTS,
      ['logId', 'position'],
      ({ to }: CheckpointMove) => to,
    )} WHERE name = ${named} AND log_id = ${({ from }) => from.logId} AND position = ${({ from }) => from.position}`;
    this.ofMove = statement(this.move);
    this.ofLoad = statement(
      sql<void>`SELECT ${namesOf(CHECKPOINTS)} FROM ${checkpoints} WHERE name = ${named}`,
    );
    this.ofBegin = statement(sql<string>`
INSERT INTO ${checkpoints} (${namesOf(CHECKPOINTS)}) VALUES (${named}, ${(logId) => logId}, 0)
ON CONFLICT (name) DO NOTHING`);
  }

  /** null: nothing was applied yet. */
  async load(database: Queries): Promise<Checkpoint | null> {
    const [stored] = (await database.query(this.ofLoad())).rows;
    if (stored === undefined) return null;
    const { logId, position } = readRow(CHECKPOINTS, stored, NOTHING_SEALED);
    return { logId, position };
  }

  /** Makes the row that is moved, at position 0; one that is there stays. */
  async begin(database: Queries, logId: string): Promise<void> {
    await database.query(this.ofBegin(logId));
  }

  /** In the transaction that writes the rows. False: it did not stand at `from`, nothing was changed. */
  async advance(client: Queries, move: CheckpointMove): Promise<boolean> {
    return (await client.query(this.ofMove(move))).rowCount === 1;
  }
}
