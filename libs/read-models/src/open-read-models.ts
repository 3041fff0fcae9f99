import {
  CheckpointRefused,
  ContentStore,
  type EventLog,
  type FileStore,
  Follower,
  type FollowerStatus,
} from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import { type ContentCodec, PlainContentCodec } from './content-codec.js';
import { Database } from './postgres/database.js';
import { HistoryRows } from './postgres/history-rows.js';
import { PostgresReadModelStore } from './postgres/postgres-store.js';
import { SCHEMA } from './postgres/schema.js';
import { PROJECTED_PREFIXES, Projector } from './projection/projector.js';
import { ApiKeys } from './queries/api-keys.js';
import { Freshness, StoredProgress } from './queries/freshness.js';
import { History } from './queries/history.js';
import { Runs } from './queries/runs.js';
import { Sessions } from './queries/sessions.js';
import { Tasks } from './queries/tasks.js';

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
  /** False: this process only reads; another one projects. */
  readonly isProjector?: boolean;
  /** The projection ended although nobody stopped it: the process must not go on. */
  readonly onFatal?: (error: unknown) => void;
}

export interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

export interface ReadModels {
  /** Resolves when the tables are there; rejects with ReadModelsRefused. Nothing but lists has to wait for it. */
  readonly ready: Promise<void>;
  readonly history: History;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly tasks: Tasks;
  readonly follower: Follower;
  /** For the tables of other rooms, which stand in schemas of their own. */
  readonly database: Database;
  /** Streams that cannot be projected, for a metric. */
  parkedStreams(): number;
  /** Resolves when the projection has passed everything that is on the log now; in any case after 2 s. */
  caughtUp(): Promise<void>;
  /** Sessions whose runs a predecessor left, once the projection has passed all that it wrote. */
  unfinishedSessions(): Promise<readonly string[]>;
  health(): Promise<{ readonly database: Check; readonly projections: Check }>;
  close(): Promise<void>;
}

/** Starts what the queries need, in the background: it returns at once, and goes on without the database. */
export function openReadModels(options: ReadModelsOptions): ReadModels {
  const { log, files, clock, random, background, logger, isProjector = true } = options;
  const codec = options.contentCodec ?? new PlainContentCodec();
  const content = new ContentStore(files);
  const database = new Database(options);
  const store = new PostgresReadModelStore(database, codec, SCHEMA);
  const projector = new Projector({ store, log, content, logger });
  let fatal: string | null = null;
  const onFatal = (error: unknown) => {
    fatal = error instanceof Error ? error.message : String(error);
    if (error instanceof CheckpointRefused) fatal += '; npm run rebuild makes the tables anew';
    logger.error({ reason: fatal }, 'nothing is projected any more');
    options.onFatal?.(error);
  };
  const follower = new Follower(
    { name: 'read-models', prefixes: PROJECTED_PREFIXES, target: projector, onFatal },
    { log, clock, random, background, logger },
  );
  const progress = isProjector ? follower : new StoredProgress(store, clock);
  const freshness = new Freshness(log, progress, clock, () => database.isOpen);
  const runs = new Runs(database, log, codec, freshness);
  let isClosed = false;
  background.start('begin the projection', async () => {
    await database.ready.catch(() => undefined);
    if (isProjector && database.isOpen && !isClosed) follower.start();
  });
  return {
    ready: database.ready,
    history: new History(new HistoryRows(database, codec), log, content),
    runs,
    sessions: new Sessions(database, codec, freshness),
    apiKeys: new ApiKeys(database, freshness),
    tasks: new Tasks(database, codec, content, freshness),
    follower,
    database,
    parkedStreams: () => projector.parkedStreams,
    caughtUp: () => freshness.caughtUp(),
    unfinishedSessions: async () => {
      const head = await log.head();
      await database.ready;
      await follower.reached(head);
      return runs.unfinishedSessions();
    },
    health: async () => ({
      database: checkOf(await database.health()),
      projections:
        fatal === null ? projectionOf(await follower.status(), projector.parkedStreams) : checkOf(fatal),
    }),
    close: async () => {
      isClosed = true;
      await follower.stop();
      await database.close();
    },
  };
}

/** Failures in a row after which the projection is not just late. */
const MANY_FAILURES = 5;

/** Streams that are parked are for the operator to look at; the service is as ready as it was. */
function projectionOf({ failures }: FollowerStatus, parked: number): Check {
  if (failures >= MANY_FAILURES) return { ok: false, detail: `failed ${failures} times in a row` };
  return parked === 0 ? { ok: true } : { ok: true, detail: `streams that cannot be projected: ${parked}` };
}

const checkOf = (problem: string | null): Check =>
  problem === null ? { ok: true } : { ok: false, detail: problem };
