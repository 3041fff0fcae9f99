import {
  DATASTORE_PREFIX,
  DOCUMENT_PREFIX,
  type DocumentEvent,
  type SaidAgain,
  datastoreEvent,
  documentEvent,
} from '#domain';
import { ContentErased, type ContentKeys, type FollowerPorts, type RecordedEvent } from '#event-log';
import { ErasureFollower, type ErasureCheckpoints } from '#vault';
import type { KnowledgeStreams } from '../streams.js';

interface DeletionPorts extends FollowerPorts {
  readonly contentKeys: ContentKeys;
  readonly erased: ErasureCheckpoints;
  readonly streams: KnowledgeStreams;
  /** The follower ended although nobody stopped it: the process must not go on. */
  readonly onFatal?: (error: unknown) => void;
}

/**
 * Crypto-shredding of deleted datastores and documents, in every replica: destroys their keys, and so all copies,
 * those in memory too. Files and rows are removed by the indexer.
 */
export class Deletions {
  private readonly follower: ErasureFollower;

  constructor(private readonly ports: DeletionPorts) {
    const { logger, erased: checkpoints } = ports;
    const onFatal = (error: unknown): void => {
      logger.error({ err: error }, 'deletions of other replicas are not carried out any more');
      ports.onFatal?.(error);
    };
    const carryOut = (event: RecordedEvent): Promise<boolean> => this.delete(event);
    const prefixes = [DATASTORE_PREFIX, DOCUMENT_PREFIX];
    this.follower = new ErasureFollower(
      { name: 'deletions', kind: 'datastores', prefixes, carryOut, onFatal },
      { ...ports, checkpoints },
    );
  }

  start(): void {
    this.follower.start();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  /** With the keys of all its documents. @throws LogUnavailable */
  async ofDatastore(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.ports.contentKeys.destroyTree(key);
  }

  /** @throws LogUnavailable */
  async ofDocument(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.ports.contentKeys.destroy(key);
  }

  private async delete(event: RecordedEvent): Promise<boolean> {
    const fact = datastoreEvent(event) ?? documentEvent(event);
    if (fact?.type === 'datastore_deleted') {
      // An older version named no key: there it is the one that the event itself is sealed with.
      const { keyId } = event.meta;
      await this.ofDatastore(fact.data.keys ?? (keyId === undefined ? [] : [keyId]));
      return true;
    }
    if (fact?.type === 'document_deleted') {
      await this.ofDocument(fact.data.keys ?? []);
      return true;
    }
    if (event.stream.startsWith(DOCUMENT_PREFIX)) await this.keepPlace(event);
    return false;
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
