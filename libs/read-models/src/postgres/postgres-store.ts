import type { QueryConfig, QueryResult } from 'pg';
import type { ContentCodec, ContentSealer } from '../content-codec.js';
import {
  type Changes,
  type Checkpoint,
  type KeyIds,
  type ParkedStream,
  ReadModelStore,
  type StoredSession,
  type TaskRow,
} from '../projection/rows.js';
import { bigints, integers, texts } from './binary-arrays.js';
import type { Database } from './database.js';
import { messageColumns } from './message-parts.js';
import * as sql from './statements.js';
import {
  type Stored,
  keyColumns,
  runColumns,
  sessionColumns,
  taskColumns,
  toRunRow,
  toSessionRow,
  toTaskRow,
} from './stored-rows.js';

const PROJECTION = 'read-models';
const NO_KEYS: KeyIds = new Map();

/** The tables of one schema, as the projection writes them. */
export class PostgresReadModelStore extends ReadModelStore {
  private readonly commitSql: string;

  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly schema: string,
  ) {
    super();
    this.commitSql = sql.commitStatement(schema);
  }

  override async loadCheckpoint(): Promise<Checkpoint | null> {
    const [row] = await this.rows(`SELECT log_id, position FROM ${this.schema}.checkpoints WHERE name = $1`, [
      PROJECTION,
    ]);
    return row === undefined ? null : { logId: row['log_id'] as string, position: Number(row['position']) };
  }

  override async loadParked(): Promise<readonly ParkedStream[]> {
    const rows = await this.rows(`SELECT stream, revision, reason FROM ${this.schema}.parked_streams`, []);
    return rows as unknown as ParkedStream[];
  }

  override async loadSessions(sessions: readonly string[]): Promise<readonly StoredSession[]> {
    const rows = await this.rows(`SELECT * FROM ${this.schema}.sessions WHERE session = ANY ($1)`, [
      sessions,
    ]);
    const runs = await this.rows(sql.loadRunsStatement(this.schema), [sessions]);
    const runsOf = Map.groupBy(runs, (run) => run['session']);
    await this.codec.ready([
      ...rows.map((row) => row['title'] as Buffer | null),
      ...runs.flatMap((run) => [run['error_message'], run['warnings']] as (Buffer | null)[]),
    ]);
    return rows.map((row) => ({
      row: toSessionRow(row, this.codec),
      runs: (runsOf.get(row['session']) ?? []).map((run) => toRunRow(run, this.codec)),
    }));
  }

  override async loadTasks(tasks: readonly string[]): Promise<readonly TaskRow[]> {
    const rows = await this.rows(`SELECT * FROM ${this.schema}.tasks WHERE task_id = ANY ($1)`, [tasks]);
    await this.codec.ready(rows.map((row) => row['message'] as Buffer));
    return rows.map((row) => toTaskRow(row, this.codec));
  }

  override async commit(
    changes: Changes,
    from: Checkpoint | null,
    to: Checkpoint,
    keyIds: KeyIds = NO_KEYS,
  ): Promise<boolean> {
    const sealer = await this.codec.sealer(keyIds);
    const query = this.query(changes, from ?? { logId: to.logId, position: 0 }, to, sealer);
    const others = this.otherQueries(changes, sealer);
    if (from === null) await this.rows(sql.beginStatement(this.schema), [PROJECTION, to.logId]);
    if (others.length === 0) return movedIn(await this.database.query(query));
    return this.database.transaction(async (client) => {
      if (!movedIn(await client.query(query))) return false;
      for (const other of others) await client.query(other);
      return true;
    });
  }

  private query(changes: Changes, from: Checkpoint, to: Checkpoint, sealer: ContentSealer): QueryConfig {
    const { sessions, runs, messages, cleared } = changes;
    return {
      name: `commit ${this.schema}`,
      text: this.commitSql,
      values: [
        PROJECTION,
        to.logId,
        to.position,
        from.logId,
        from.position,
        texts(cleared.map((c) => c.session)),
        integers(cleared.map((c) => c.revision)),
        ...sessionColumns(sessions, sealer),
        ...runColumns(runs, sealer),
        ...messageColumns(messages, sealer),
      ],
    };
  }

  private otherQueries(
    { tasks, keysIssued, keysRevoked, parked, freed, erased }: Changes,
    sealer: ContentSealer,
  ): QueryConfig[] {
    const queries: QueryConfig[] = [];
    const add = (text: string, values: unknown[]) => queries.push({ text, values });
    if (tasks.length > 0) add(sql.writeTasksStatement(this.schema), taskColumns(tasks, sealer));
    if (keysIssued.length > 0) add(sql.issueKeysStatement(this.schema), keyColumns(keysIssued));
    if (keysRevoked.length > 0)
      add(sql.revokeKeysStatement(this.schema), [
        texts(keysRevoked.map((k) => k.id)),
        bigints(keysRevoked.map((k) => k.at)),
      ]);
    if (parked.length > 0)
      add(sql.parkStatement(this.schema), [
        texts(parked.map((p) => p.stream)),
        integers(parked.map((p) => p.revision)),
        texts(parked.map((p) => p.reason)),
      ]);
    if (freed.length > 0) add(sql.freeStatement(this.schema), [freed]);
    if (erased.length > 0) for (const statement of sql.eraseStatements(this.schema)) add(statement, [erased]);
    return queries;
  }

  private async rows(text: string, values: unknown[]): Promise<readonly Stored[]> {
    return (await this.database.query({ text, values })).rows;
  }
}

const movedIn = (result: QueryResult<{ moved: number }>): boolean => result.rows[0]?.moved === 1;
