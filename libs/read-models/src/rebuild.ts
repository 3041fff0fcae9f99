import type { Position } from '#domain';
import { ContentStore, type FileStore } from '#vault';
import { type EventLog, Follower, type FollowerBatch } from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import { type ContentCodec, PlainContentCodec } from './content-codec.js';
import { MetadataTokens } from './metadata-tokens.js';
import { Database } from './postgres/database.js';
import { PostgresReadModelStore } from './postgres/postgres-store.js';
import { RebuildTables } from './postgres/rebuild-tables.js';
import { REBUILD_SCHEMA } from './postgres/schema.js';
import { PROJECTED_PREFIXES, Projector } from './projection/projector.js';

export interface RebuildPorts {
  readonly log: EventLog;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly contentCodec?: ContentCodec;
  /** Of what callers say of their runs: see MetadataTokens. */
  readonly metadataSecret: Uint8Array;
  /** After each batch: how far it got and where the log ends now. */
  onProgress?(position: Position, head: number): void;
}

export interface RebuildOptions extends RebuildPorts {
  readonly databaseUrl?: string;
  readonly folder: string;
  /** Done when the tables are there, in the same database. */
  thereAlso?(database: Pick<Database, 'ready' | 'query' | 'transaction'>): Promise<void>;
}

export interface RebuildResult {
  readonly events: number;
  readonly ms: number;
}

/**
 * Fills new tables from the start of the log and puts them in the place of those in use, in one transaction, when they
 * have caught up. Nothing but the tables is touched: no model, callback or Kafka. If it breaks off, all is as before.
 */
export async function rebuildReadModels(options: RebuildOptions): Promise<RebuildResult> {
  const database = new Database(options);
  try {
    await database.ready;
    const result = await rebuildTables(database, options);
    await options.thereAlso?.(database);
    return result;
  } finally {
    await database.close();
  }
}

/** The same in a database that is open. @throws the signal's reason, when it is aborted */
export async function rebuildTables(
  database: Database,
  options: RebuildPorts,
  signal?: AbortSignal,
): Promise<RebuildResult> {
  const { clock, log } = options;
  const since = clock.now();
  const tables = new RebuildTables(database);
  await tables.create();
  let events = 0;
  const count = (batch: FollowerBatch, head: number) => {
    signal?.throwIfAborted();
    events += batch.events.length;
    options.onProgress?.(batch.to, head);
  };
  // A service that goes on projecting meanwhile may get ahead of us once more.
  do await catchUp(options, database, count);
  while (!(await tables.swap(log.logId)));
  return { events, ms: clock.now() - since };
}

async function catchUp(
  options: RebuildPorts,
  database: Database,
  count: (batch: FollowerBatch, head: number) => void,
): Promise<void> {
  const { log, files, logger, contentCodec = new PlainContentCodec(), metadataSecret } = options;
  const store = new PostgresReadModelStore(database, contentCodec, REBUILD_SCHEMA);
  const projector = new Projector({
    store,
    log,
    content: new ContentStore(files),
    logger,
    tokens: new MetadataTokens(metadataSecret),
  });
  const head = await log.head();
  const fatal = Promise.withResolvers<never>();
  const target = {
    load: () => projector.load(),
    apply: async (batch: FollowerBatch) => {
      await projector.apply(batch);
      try {
        count(batch, Math.max(head, batch.to));
      } catch (error) {
        fatal.reject(error);
      }
    },
    park: projector.park.bind(projector),
    isTransient: projector.isTransient.bind(projector),
  };
  const follower = new Follower(
    {
      name: 'rebuild',
      prefixes: PROJECTED_PREFIXES,
      target,
      onFatal: fatal.reject,
    },
    options,
  );
  follower.start();
  try {
    await Promise.race([follower.reached(head), fatal.promise]);
  } finally {
    await follower.stop();
  }
  await projector.writeCheckpoint({ logId: log.logId, position: follower.position });
}
