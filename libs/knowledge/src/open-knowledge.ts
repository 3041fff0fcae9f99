import {
  type ContentKeys,
  type EventLog,
  Follower,
  Freshness,
  type RunningFollowers,
  StoredProgress,
} from '#event-log';
import { type ErasureCheckpoints, type UploadStore } from '#vault';
import {
  type Background,
  type Clock,
  type EgressGuard,
  type Logger,
  type Random,
  type SecretBox,
  closeInOrder,
  documentsMemoryMb,
  readersOf,
} from '#platform';
import { AbandonedUploads } from './abandoned-uploads.js';
import { checkConnection } from './check-connection.js';
import { Datastores } from './datastores.js';
import { Documents } from './documents.js';
import { DatastoreKeys } from './erasure/datastore-keys.js';
import { Deletions } from './erasure/deletions.js';
import { Resealing } from './erasure/resealing.js';
import { ProcessExtractor, type Extractor } from '#extraction';
import { CallersMysql } from './mysql/callers-mysql.js';
import { CallersPostgres } from './postgres/callers-postgres.js';
import { KnowledgeTools } from './knowledge-tools.js';
import type { ConnectDatabase } from './callers-database.js';
import { IndexDocumentHandler } from './index-document.js';
import { INDEXED_PREFIXES, Indexer } from './indexer.js';
import { DocumentOutcomes } from './outcomes.js';
import type { CreationKeys, KnowledgeDatabase } from './ports.js';
import { GoneTexts } from './postgres/gone-texts.js';
import { KnowledgeRows } from './postgres/knowledge-rows.js';
import { migrate } from './postgres/migrate.js';
import { PassageRows } from './postgres/passage-rows.js';
import { PassageSearch } from './postgres/passage-search.js';
import { PreparedDatabase } from './prepared-database.js';
import { Search } from './search.js';
import { KnowledgeStreams } from './streams.js';
import { StoredBytes } from './stored-bytes.js';
import { TextReader } from './text-reader.js';

export interface KnowledgeOptions {
  readonly log: EventLog;
  readonly database: KnowledgeDatabase;
  readonly uploads: UploadStore;
  /** Of the whole installation: in older versions it sealed connection strings. */
  readonly box: SecretBox;
  /** Of datastores and documents. */
  readonly contentKeys: ContentKeys;
  /** How far what was deleted is gone. */
  readonly erased: ErasureCheckpoints;
  readonly egress: EgressGuard;
  readonly keys: CreationKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Where the indexer's follower is found while it works. */
  readonly followers?: RunningFollowers;
  /** False: this process keeps no rows and reads no documents but those that it accepts. */
  readonly isIndexer?: boolean;
  readonly extractor?: Extractor;
  /** Of the processes that read documents, together; null or absent: what the machine or the container allows. */
  readonly documentsMemoryMb?: number | null;
  /** Of the files of one project's documents; absent: no limit. */
  readonly maxStoredBytes?: number;
  /** The follower ended although nobody stopped it: the process must not go on. */
  readonly onFatal?: (error: unknown) => void;
}

export interface Knowledge {
  readonly datastores: Datastores;
  readonly documents: Documents;
  readonly indexDocument: IndexDocumentHandler;
  readonly search: Search;
  /** What the agent of a run gets. */
  readonly tools: KnowledgeTools;
  readonly follower: Follower | null;
  /** Reads files of requests, too, in the same turns. */
  readonly extractor: Extractor;
  close(): Promise<void>;
}

/** Starts what the queries need, in the background: it returns at once, and waits for the database as long as it takes. */
export function openKnowledge(options: KnowledgeOptions): Knowledge {
  const { log, clock, random, background, logger, isIndexer = true } = options;
  const { keys, egress } = options;
  const database = new PreparedDatabase(options.database, clock);
  const parts = partsOf({ ...options, database });
  const { rows, streams, extractor, datastoreKeys, deletions } = parts;
  let trigrams: string | null = null;
  const prepare = async (): Promise<void> => {
    trigrams = await migrate(options.database, logger);
    database.tablesMade();
  };
  const abandoned = new AbandonedUploads({ ...options, rows });
  const indexer = new Indexer({ ...options, ...parts, database, abandoned, migrate: prepare });
  const follower = isIndexer ? followerOf(options, indexer) : null;
  const progress = follower ?? new StoredProgress(() => rows.loadCheckpoint(), clock);
  const freshness = new Freshness({ log, clock, progress, isAvailable: () => database.isOpen });
  const connect: ConnectDatabase = (connection, access) =>
    connection.kind === 'postgres'
      ? new CallersPostgres(connection, access, egress.of(access.project), clock)
      : new CallersMysql(connection, access, egress.of(access.project), clock);
  const check = checkConnection({ egress, clock, connect });
  const datastores = new Datastores({ ...parts, freshness, keys, random, check });
  const stored = new StoredBytes(options.maxStoredBytes ?? Number.MAX_SAFE_INTEGER, { rows, freshness });
  const resealing = new Resealing({ ...options, ...parts });
  deletions.start();
  if (isIndexer) background.start('seal older datastores anew', () => resealing.run());
  let isClosed = false;
  background.start('begin to follow the documents', async () => {
    await options.database.ready.catch(() => undefined);
    if (isClosed || !database.isOpen) return;
    if (follower === null) return prepare();
    follower.start();
    await indexer.run(() => freshness.caughtUp());
  });
  const search = new Search(new PassageSearch(database, () => trigrams), () => freshness.caughtUp());
  return {
    datastores,
    documents: new Documents({ datastores, streams, deletions, rows, freshness }),
    indexDocument: new IndexDocumentHandler({ ...options, ...parts, datastores, freshness, stored }),
    search,
    tools: new KnowledgeTools({ streams, search, datastoreKeys, connect }),
    follower,
    extractor,
    close: async () => {
      isClosed = true;
      indexer.stop();
      resealing.stop();
      await closeInOrder(
        () => deletions.stop(),
        () => follower?.stop(),
        () => extractor.close(),
        // They tell the database that they did not die of it.
        () => parts.reader.settled(),
      );
    },
  };
}

function partsOf(options: KnowledgeOptions) {
  const { log, database, clock, random, logger, extractor, contentKeys, box } = options;
  const streams = new KnowledgeStreams({ log, clock, random });
  const passages = new PassageRows(database, random.hex(8));
  const readers = readersOf(options.documentsMemoryMb ?? documentsMemoryMb());
  const reading = extractor ?? new ProcessExtractor(clock, { readers });
  return {
    streams,
    passages,
    datastoreKeys: new DatastoreKeys(contentKeys, box),
    deletions: new Deletions({ ...options, streams }),
    extractor: reading,
    rows: new KnowledgeRows(database),
    gone: new GoneTexts(database),
    reader: new TextReader(reading, passages, clock),
    outcomes: new DocumentOutcomes({ streams, passages, logger }),
  };
}

function followerOf(options: KnowledgeOptions, target: Indexer): Follower {
  const { log, clock, random, background, logger, followers } = options;
  const onFatal = (error: unknown): void => {
    logger.error({ err: error }, 'the documents are not followed any more');
    options.onFatal?.(error);
  };
  return new Follower(
    { name: 'knowledge', prefixes: INDEXED_PREFIXES, target, onFatal },
    { log, clock, random, background, logger, followers },
  );
}
