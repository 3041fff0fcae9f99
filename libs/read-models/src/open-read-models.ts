import { ContentStore, type FileStore } from '#vault';
import {
  type EventLog,
  type Follower,
  Freshness,
  type Position,
  type RunningFollowers,
  StoredProgress,
} from '#event-log';
import { type Background, type Clock, type Logger, type Random, closeInOrder } from '#platform';
import { type ContentCodec, PlainContentCodec } from './content-codec.js';
import { MetadataTokens } from './metadata-tokens.js';
import { Database } from './postgres/database.js';
import { HistoryRows } from './postgres/history-rows.js';
import { PostgresReadModelStore } from './postgres/postgres-store.js';
import { SCHEMA } from './postgres/schema.js';
import { type Check, Projection } from './projection/projection.js';
import { ActionQueries } from './queries/actions.js';
import { CallbackQueries } from './queries/callbacks.js';
import { StoredHealth } from './queries/stored-health.js';
import { KeyUseTable } from './queries/key-uses.js';
import { History } from './queries/history.js';
import { MessagePages } from './queries/message-pages.js';
import { RunQueries } from './queries/runs.js';
import { SessionLines } from './queries/session-lines.js';
import { SessionOwners } from './queries/session-owners.js';
import { SessionQueries } from './queries/sessions.js';
import { SessionsAsOf } from './queries/sessions-as-of.js';
import { TaskQueries } from './queries/tasks.js';
import { UsageQueries } from './queries/usage.js';
import { UpgradeRebuild } from './upgrade-rebuild.js';

export interface ReadModelsOptions {
  /** `postgres://…`; absent: a PostgreSQL of our own. */
  readonly databaseUrl?: string;
  /** Of the embedded PostgreSQL's data, e.g. DATA_DIR/postgres. */
  readonly folder: string;
  readonly log: EventLog;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly contentCodec?: ContentCodec;
  /** Of what callers say of their runs: see MetadataTokens. */
  readonly metadataSecret: Uint8Array;
  /** Where the projection's follower is found while it works. */
  readonly followers?: RunningFollowers;
  /** False: this process only reads, until `openProjection`; another one projects. */
  readonly isProjector?: boolean;
  /** The projection ended although nobody stopped it: the process must not go on. */
  readonly onFatal?: (error: unknown) => void;
}

export type { Check } from './projection/projection.js';

export interface ReadModels {
  /** Resolves when the tables are there; rejects with ReadModelsRefused. Nothing but lists has to wait for it. */
  readonly ready: Promise<void>;
  readonly history: History;
  readonly messagePages: MessagePages;
  readonly runs: RunQueries;
  readonly sessions: SessionQueries;
  readonly sessionsAsOf: SessionsAsOf;
  /** To be told of sessions that are erased. */
  readonly lines: Pick<SessionLines, 'forget'>;
  readonly keyUses: KeyUseTable;
  readonly tasks: TaskQueries;
  readonly actions: ActionQueries;
  readonly usage: UsageQueries;
  readonly callbacks: CallbackQueries;
  readonly follower: Follower;
  /** For the tables of other rooms, which stand in schemas of their own. */
  readonly database: Database;
  /** How far the tables are, whoever fills them. @throws ReadModelsUnavailable */
  position(): Promise<Position>;
  /** A term of projecting, to be started and stopped, where replicas take turns. */
  openProjection(): Projection;
  /** Streams that cannot be projected, for a metric. */
  parkedStreams(): number;
  /** Resolves when the projection has passed everything that is on the log now; in any case after 2 s. */
  caughtUp(): Promise<void>;
  /** Sessions whose runs a predecessor left, once the projection has passed all that it wrote. */
  unfinishedSessions(isWaitingOnly?: boolean): Promise<readonly string[]>;
  health(): Promise<{ readonly database: Check; readonly projections: Check }>;
  close(): Promise<void>;
}

/** Starts what the queries need, in the background: it returns at once, and goes on without the database. */
export function openReadModels(options: ReadModelsOptions): ReadModels {
  const { log, files, clock, isProjector = true } = options;
  const codec = options.contentCodec ?? new PlainContentCodec();
  const content = new ContentStore(files);
  const database = new Database(options);
  const store = new PostgresReadModelStore(database, codec, SCHEMA);
  const tokens = new MetadataTokens(options.metadataSecret);
  const open = (): Projection =>
    new Projection({
      ...options,
      store,
      database,
      tokens,
      afterStart: new UpgradeRebuild(database, options),
    });
  let projection = open();
  const stored = new StoredProgress(() => store.loadCheckpoint(), clock);
  const progress = isProjector ? projection.follower : stored;
  const freshness = new Freshness({ log, clock, progress, isAvailable: () => database.isOpen });
  const queries = queriesOver({ log, clock, content, codec, database, freshness, tokens });
  if (isProjector) projection.start();
  const reach = async (): Promise<void> => {
    const head = await log.head();
    await database.ready;
    if (isProjector) return projection.follower.reached(head);
    const deadline = clock.deadline(STORED_PATIENCE_MS);
    await stored.reached(head, deadline.signal).finally(() => deadline[Symbol.dispose]());
  };
  const health = new StoredHealth(log, stored, clock);
  return {
    ready: database.ready,
    ...queries,
    follower: projection.follower,
    database,
    position: async () => (isProjector ? projection.follower.position : stored.position()),
    openProjection: () => (projection = open()),
    parkedStreams: () => projection.parkedStreams,
    caughtUp: () => freshness.caughtUp(),
    unfinishedSessions: async (isWaitingOnly) => {
      await reach();
      return queries.runs.unfinishedSessions(isWaitingOnly);
    },
    health: async () => ({
      database: checkOf(await database.health()),
      projections: await (isProjector ? projection.health() : healthFrom(projection, health)),
    }),
    close: () =>
      closeInOrder(
        () => projection.stop(),
        () => database.close(),
      ),
  };
}

interface QueryParts extends Pick<ReadModelsOptions, 'log' | 'clock'> {
  readonly content: ContentStore;
  readonly codec: ContentCodec;
  readonly database: Database;
  readonly freshness: Freshness;
  readonly tokens: MetadataTokens;
}

function queriesOver({ log, clock, content, codec, database, freshness, tokens }: QueryParts) {
  const owners = new SessionOwners(log, clock);
  const lines = new SessionLines(log, content);
  const rows = new HistoryRows(database, codec);
  const runs = new RunQueries(database, log, codec, freshness, owners, tokens);
  return {
    history: new History(rows, log, content, owners, lines),
    messagePages: new MessagePages({ rows, log, content, lines, placeOf: (...of) => runs.place(...of) }),
    runs,
    sessions: new SessionQueries(database, codec, freshness, owners, lines),
    lines,
    sessionsAsOf: new SessionsAsOf(log, owners, lines),
    keyUses: new KeyUseTable(database),
    tasks: new TaskQueries(database, codec, content, freshness, owners),
    callbacks: new CallbackQueries(database, codec, freshness, owners),
    usage: new UsageQueries(database, codec, freshness, tokens),
    actions: new ActionQueries(database, codec, freshness, owners, clock),
  };
}

/** How long whoever looks for unfinished runs waits for the replica that projects. */
const STORED_PATIENCE_MS = 15_000;

/** Where replicas take turns: of the term of this process, or of what the others are seen to do. */
async function healthFrom(projection: Projection, stored: StoredHealth): Promise<Check> {
  const own = await projection.health();
  if (!own.ok) return own;
  try {
    return checkOf(await stored.problem());
  } catch (error) {
    return checkOf(error instanceof Error ? error.message : String(error));
  }
}

const checkOf = (problem: string | null): Check =>
  problem === null ? { ok: true } : { ok: false, detail: problem };
