import type { QueryConfig, QueryResult } from 'pg';
import type { StoredSession } from '#projections';
import { type Checkpoint, type PostgresCheckpoints, type StoredRow } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import {
  type ActionRow,
  type CallbackRow,
  type Changes,
  type KeyIds,
  type ParkedStream,
  ReadModelStore,
  type TaskRow,
} from '../projection/rows.js';
import { ACTIONS } from '../tables/actions.js';
import { CALLBACKS } from '../tables/callbacks.js';
import { RUNS } from '../tables/runs.js';
import { SESSIONS } from '../tables/sessions.js';
import { TASKS } from '../tables/tasks.js';
import type { Database } from './database.js';
import { storedMessages } from './message-parts.js';
import { openedRows } from './opened-rows.js';
import { checkpointIn } from './schema.js';
import { type Commit, statementsFor } from './statements.js';

const NO_KEYS: KeyIds = new Map();

/** The tables of one schema, as the projection writes them. */
export class PostgresReadModelStore extends ReadModelStore {
  private readonly checkpoint: PostgresCheckpoints;
  private readonly statements: ReturnType<typeof statementsFor>;

  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    schema: string,
  ) {
    super();
    this.checkpoint = checkpointIn(schema);
    this.statements = statementsFor(schema, this.checkpoint);
  }

  override loadCheckpoint(): Promise<Checkpoint | null> {
    return this.checkpoint.load(this.database);
  }

  override async loadParked(): Promise<readonly ParkedStream[]> {
    return (await this.rows(this.statements.loadParked())) as unknown as ParkedStream[];
  }

  override async loadSessions(ids: readonly string[]): Promise<readonly StoredSession[]> {
    const { statements, codec } = this;
    const sessions = await openedRows(SESSIONS, await this.rows(statements.loadSessions(ids)), codec);
    const runs = await openedRows(RUNS, await this.rows(statements.loadRuns(ids)), codec);
    const runsOf = Map.groupBy(runs, ({ session }) => session);
    return sessions.map((row) => ({ row, runs: runsOf.get(row.session) ?? [] }));
  }

  override async loadTasks(tasks: readonly string[]): Promise<readonly TaskRow[]> {
    return openedRows(TASKS, await this.rows(this.statements.loadTasks(tasks)), this.codec);
  }

  override async loadActions(
    actions: readonly string[],
    runs: readonly string[],
  ): Promise<readonly ActionRow[]> {
    return openedRows(ACTIONS, await this.rows(this.statements.loadActions({ actions, runs })), this.codec);
  }

  override async loadCallbacks(runs: readonly string[]): Promise<readonly CallbackRow[]> {
    return openedRows(CALLBACKS, await this.rows(this.statements.loadCallbacks(runs)), this.codec);
  }

  override async commit(
    changes: Changes,
    from: Checkpoint | null,
    to: Checkpoint,
    keyIds: KeyIds = NO_KEYS,
  ): Promise<boolean> {
    const sealer = await this.codec.sealer(keyIds);
    const commit: Commit = {
      from: from ?? { logId: to.logId, position: 0 },
      to,
      changes,
      messages: storedMessages(changes.messages, sealer),
      sealer,
    };
    const query = this.statements.commit(commit);
    const others = this.others(commit);
    if (from === null) await this.checkpoint.begin(this.database, to.logId);
    if (others.length === 0) return movedIn(await this.database.query(query));
    return this.database.transaction(async (client) => {
      if (!movedIn(await client.query<{ moved: number }>(query))) return false;
      for (const other of others) await client.query(other);
      return true;
    });
  }

  private others(commit: Commit): QueryConfig[] {
    const {
      writeTasks,
      writeActions,
      writeCallbacks,
      writeMetadata,
      issueKeys,
      revokeKeys,
      park,
      free,
      erase,
    } = this.statements;
    const { tasks, actions, callbacks, metadata, keysIssued, keysRevoked, parked, freed, erased } =
      commit.changes;
    const wanted = [
      ...(tasks.length > 0 ? [writeTasks] : []),
      ...(actions.length > 0 ? [writeActions] : []),
      ...(callbacks.length > 0 ? [writeCallbacks] : []),
      ...(metadata.length > 0 ? [writeMetadata] : []),
      ...(keysIssued.length > 0 ? [issueKeys] : []),
      ...(keysRevoked.length > 0 ? [revokeKeys] : []),
      ...(parked.length > 0 ? [park] : []),
      ...(freed.length > 0 ? [free] : []),
      ...(erased.length > 0 ? erase : []),
    ];
    return wanted.map((statement) => statement(commit));
  }

  private async rows(query: QueryConfig): Promise<readonly StoredRow[]> {
    return (await this.database.query(query)).rows;
  }
}

const movedIn = (result: QueryResult<{ moved: number }>): boolean => result.rows[0]?.moved === 1;
