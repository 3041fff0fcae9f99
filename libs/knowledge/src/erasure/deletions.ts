import {
  DATASTORE_PREFIX,
  DOCUMENT_PREFIX,
  type DocumentEvent,
  type SaidAgain,
  datastoreEvent,
  documentEvent,
} from '#domain';
import {
  ContentErased,
  type ContentKeys,
  type EventLog,
  Follower,
  type FollowerBatch,
  type FollowerTarget,
  LogUnavailable,
  type RecordedEvent,
} from '#event-log';
import { type ErasureCheckpoint, ErasureCheckpointer, type ErasureCheckpoints } from '#vault';
import type { Background, Clock, Logger, Random } from '#platform';
import type { KnowledgeStreams } from '../streams.js';

interface DeletionPorts {
  readonly log: EventLog;
  readonly contentKeys: ContentKeys;
  readonly erased: ErasureCheckpoints;
  readonly streams: KnowledgeStreams;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** The follower ended although nobody stopped it: the process must not go on. */
  readonly onFatal?: (error: unknown) => void;
}

/**
 * Carries out what deletions of datastores and documents say, in every replica: destroys their keys, which takes all copies
 * with them that are in memory. A follower, so a crash in between finishes the job; doing it again changes nothing. Files
 * and rows are the indexer's.
 */
export class Deletions implements FollowerTarget {
  private readonly follower: Follower;
  private readonly checkpointer: ErasureCheckpointer;

  constructor(private readonly ports: DeletionPorts) {
    const { logger, erased: checkpoints, log } = ports;
    const onFatal = (error: unknown): void => {
      logger.error({ err: error }, 'deletions of other replicas are not carried out any more');
      ports.onFatal?.(error);
    };
    this.checkpointer = new ErasureCheckpointer({ log, checkpoints, logger }, 'datastores');
    const prefixes = [DATASTORE_PREFIX, DOCUMENT_PREFIX];
    this.follower = new Follower({ name: 'deletions', prefixes, target: this, onFatal }, ports);
  }

  start(): void {
    this.follower.start();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  load(): Promise<ErasureCheckpoint | null> {
    return this.checkpointer.load();
  }

  async apply({ events, to }: FollowerBatch): Promise<void> {
    let isNews = false;
    for (const event of events) {
      const fact = datastoreEvent(event) ?? documentEvent(event);
      if (fact?.type === 'datastore_deleted') {
        // An older version named no key: there it is the one that the event itself is sealed with.
        const { keyId } = event.meta;
        await this.ofDatastore(fact.data.keys ?? (keyId === undefined ? [] : [keyId]));
      } else if (fact?.type === 'document_deleted') await this.ofDocument(fact.data.keys ?? []);
      else if (event.stream.startsWith(DOCUMENT_PREFIX)) await this.keepPlace(event);
      isNews ||= fact?.type === 'datastore_deleted' || fact?.type === 'document_deleted';
    }
    await this.checkpointer.move(to, { events: events.length, isNews });
  }

  /** With the keys of all its documents. @throws LogUnavailable */
  async ofDatastore(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.ports.contentKeys.destroyTree(key);
  }

  /** @throws LogUnavailable */
  async ofDocument(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.ports.contentKeys.destroy(key);
  }

  async park({ stream, type }: RecordedEvent, error: unknown): Promise<void> {
    this.ports.logger.error({ err: error, stream, type }, 'a deletion could not be carried out');
  }

  isTransient(error: unknown): boolean {
    return error instanceof LogUnavailable;
  }

  /** A key store that was restored has lost which keys were placed since: the log tells it again. */
  private async keepPlace({ type, data, meta: { keyId }, isErased }: RecordedEvent): Promise<void> {
    if (keyId === undefined || isErased === true) return;
    const { datastore } = type === 'document_uploaded' ? (data as Partial<Uploaded>) : (againOf(data) ?? {});
    if (datastore === undefined) return;
    const above = await this.ports.streams.keysOf(datastore);
    const parent = above.at(-1);
    // A document of an older version has the datastore's own key.
    if (parent === undefined || above.includes(keyId)) return;
    try {
      await this.ports.contentKeys.placeBelow(keyId, parent);
    } catch (error) {
      if (!(error instanceof ContentErased)) throw error;
      await this.ports.contentKeys.destroy(keyId);
    }
  }
}

type Uploaded = Extract<DocumentEvent, { type: 'document_uploaded' }>['data'];

const againOf = (data: object): SaidAgain['again'] => (data as SaidAgain).again;
