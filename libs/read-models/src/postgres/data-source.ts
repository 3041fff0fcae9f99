import { DataSource, type DataSourceOptions } from 'typeorm';
import { type DatabaseAddress, PostgresPool } from '#postgres';
import { ReadModels1763715600000 } from '../migrations/1763715600000-read-models.js';
import { Tasks1763802000000 } from '../migrations/1763802000000-tasks.js';
import { MessageParts1763888400000 } from '../migrations/1763888400000-message-parts.js';
import { RunWarnings1764061200000 } from '../migrations/1764061200000-run-warnings.js';
import { StandingTasks1764064800000 } from '../migrations/1764064800000-standing-tasks.js';
import { WantedRebuilds1764061300000 } from '../migrations/1764061300000-wanted-rebuilds.js';
import { RunRetries1764151300000 } from '../migrations/1764151300000-run-retries.js';
import { SessionForks1764154800000 } from '../migrations/1764154800000-session-forks.js';
import { RunReplays1764154900000 } from '../migrations/1764154900000-run-replays.js';
import { KeysOfTasks1764064900000 } from '../migrations/1764064900000-keys-of-tasks.js';
import { Actions1764151200000 } from '../migrations/1764151200000-actions.js';
import { ModelCalls1764236400000 } from '../migrations/1764236400000-model-calls.js';
import { Callbacks1764668800000 } from '../migrations/1764668800000-callbacks.js';
import { FirstTokens1764755100000 } from '../migrations/1764755100000-first-tokens.js';
import { MessagesOfOneEvent1764755200000 } from '../migrations/1764755200000-messages-of-one-event.js';
import { ReadModelsRefused } from '../unavailable.js';
import { ENTITIES } from './entities.js';
import { translated } from './errors.js';
import { SCHEMA } from './schema.js';

/** Connections of a process: the projection, and lists that are read at the same time. */
const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 3_000;
/** Each is a process of the server, 2 to 7 MB of our own one's, and lists are seldom read at the same time. */
const IDLE_TIMEOUT_MS = 5_000;
/** A server that hangs must not hang us; a migration may take its time. */
const QUERY_TIMEOUT_MS = 60_000;
const OLDEST_VERSION = 15;
/** Any number that nobody else takes: whoever migrates holds the lock of it. */
const MIGRATION_LOCK = 0x616e6e61;

/** The tables, and the connections below them for statements that must be cheap. */
export interface OpenDatabase {
  readonly source: DataSource;
  readonly pool: PostgresPool;
}

/** Connects. @throws what the driver throws; ReadModelsRefused for a version that is too old */
export async function connect(address: DatabaseAddress): Promise<OpenDatabase> {
  const pool = new PostgresPool({
    address,
    applicationName: 'annals',
    connections: CONNECTIONS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    statementTimeoutMs: QUERY_TIMEOUT_MS,
    failure: translated,
  });
  try {
    const source = new DataSource(optionsOver(pool));
    await source.initialize();
    await checkVersion(source);
    await migrate(source);
    return { source, pool };
  } catch (error) {
    // TypeORM gives back no connection on which it failed.
    pool.destroy();
    throw error;
  }
}

/** Brings the tables to the newest form. Replicas that start together take turns. */
export async function migrate(source: DataSource): Promise<void> {
  const lock = source.createQueryRunner();
  try {
    // The number is a constant of ours: nothing from outside is part of the text.
    await lock.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await lock.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await source.runMigrations({ transaction: 'all' });
  } finally {
    await lock.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => undefined);
    await lock.release();
  }
}

async function checkVersion(source: DataSource): Promise<void> {
  const [row] = await source.query<{ server_version: string }[]>('SHOW server_version');
  const problem = versionProblem(row?.server_version ?? '');
  if (problem !== null) throw new ReadModelsRefused(problem);
}

/** @param version e.g. `16.4 (Debian 16.4-1)`; null: it will do */
export function versionProblem(version: string): string | null {
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return null;
  const [number = ''] = version.split(' ');
  return `DATABASE_URL: PostgreSQL ${OLDEST_VERSION} or newer is needed, this is ${number === '' ? 'unknown' : number}`;
}

function optionsOver({ driver }: PostgresPool): DataSourceOptions {
  return {
    type: 'postgres',
    driver,
    schema: SCHEMA,
    entities: [...ENTITIES],
    migrations: [
      ReadModels1763715600000,
      Tasks1763802000000,
      MessageParts1763888400000,
      RunWarnings1764061200000,
      WantedRebuilds1764061300000,
      StandingTasks1764064800000,
      KeysOfTasks1764064900000,
      Actions1764151200000,
      RunRetries1764151300000,
      SessionForks1764154800000,
      RunReplays1764154900000,
      ModelCalls1764236400000,
      Callbacks1764668800000,
      FirstTokens1764755100000,
      MessagesOfOneEvent1764755200000,
    ],
    migrationsTableName: 'migrations',
    installExtensions: false,
    // The pool hears them.
    poolErrorHandler: () => undefined,
    logging: false,
  };
}
