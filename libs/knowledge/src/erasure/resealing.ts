import {
  DATASTORE_PREFIX,
  DOCUMENT_PREFIX,
  type Datastore,
  type Document,
  type UploadedDocument,
  datastoreEvent,
  datastoreStream,
  documentStream,
  sayAgain,
} from '#domain';
import { type ContentKeys, type EventLog, type RecordedEvent } from '#event-log';
import { type ErasureCheckpoints, FileMissing, type UploadStore } from '#vault';
import type { Clock, Logger } from '#platform';
import { scopeOf } from '../index-document.js';
import type { KnowledgeStreams } from '../streams.js';
import { type DatastoreKeys, isOwnSeal } from './datastore-keys.js';
import { RESEALER, sayDatastoreAgain } from './say-again.js';

interface ResealingPorts {
  readonly log: EventLog;
  readonly streams: KnowledgeStreams;
  readonly uploads: UploadStore;
  readonly contentKeys: ContentKeys;
  readonly datastoreKeys: DatastoreKeys;
  readonly erased: ErasureCheckpoints;
  readonly clock: Clock;
  readonly logger: Logger;
}

const KIND = 'resealed';
/** Where others share the log there is a day to wait. */
const PAUSE_MS = { alone: 60_000, shared: 600_000 };
/** For so long an older version may run beside this one and seal with the key that it knows. */
const OTHERS_MS = 24 * 60 * 60 * 1000;

/** What was found of a datastore: its documents that share its key, and the keys that they share. */
interface Found {
  readonly documents: Set<string>;
  readonly shared: Set<string>;
  /** It has no key, or its connection string is sealed with another one. */
  isOld: boolean;
}

/**
 * Migration to one key for each document: older versions encrypted documents with their datastore's key, so none
 * could be erased alone. Appends such events again under a key for each document, then destroys the old key, and with
 * it what older events hold, of deleted documents too. Idempotent, also when interrupted or run by several replicas:
 * events written again are recognised by their key. Its checkpoint is in the key store.
 */
export class Resealing {
  private readonly stopping = new AbortController();

  constructor(private readonly ports: ResealingPorts) {}

  stop(): void {
    this.stopping.abort();
  }

  /** Until all is done. */
  async run(): Promise<void> {
    const { clock, logger } = this.ports;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (await this.pass()) return;
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'older datastores wait to be sealed anew');
      }
      const pauseMs = this.ports.log.exclusive ? PAUSE_MS.alone : PAUSE_MS.shared;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  /** Whether nothing is left to do. @throws LogUnavailable */
  private async pass(): Promise<boolean> {
    const { log, erased, logger } = this.ports;
    const { logId } = log;
    const head = await log.head();
    const place = await erased.checkpoint(KIND);
    const from = place?.logId === logId && place.position <= head ? place.position : 0;
    const found = await this.find(from, head);
    let isDone = true;
    let count = 0;
    for (const [id, one] of found) {
      if (this.stopping.signal.aborted) return false;
      if (await this.reseal(id, one)) count += 1;
      else isDone = false;
    }
    if (count > 0) logger.info({ datastores: count }, 'older datastores are sealed anew');
    if (isDone) await erased.saveCheckpoint({ logId, position: head }, KIND);
    return isDone;
  }

  private async find(from: number, head: number): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    if (from >= head) return found;
    const keys = new Map<string, readonly string[]>();
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, this.stopping.signal]);
    const prefixes = [DATASTORE_PREFIX, DOCUMENT_PREFIX];
    for await (const { events, position } of this.ports.log.subscribeAll({ after: from, prefixes, signal })) {
      for (const event of events) if (isReadable(event)) await this.look(event, found, keys);
      if (position >= head) end.abort();
    }
    this.stopping.signal.throwIfAborted();
    return found;
  }

  private async look(
    event: RecordedEvent,
    found: Map<string, Found>,
    keys: Map<string, readonly string[]>,
  ): Promise<void> {
    const { stream, type, meta } = event;
    const created = datastoreEvent(event);
    if (created?.type === 'datastore_created') {
      const { connection } = created.data;
      const isOld = meta.keyId === undefined || (connection !== undefined && !isOwnSeal(connection));
      if (isOld) foundOf(found, stream.slice(DATASTORE_PREFIX.length)).isOld = true;
    } else if (type === 'document_uploaded') {
      const { datastore } = event.data as UploadedDocument;
      const known = keys.get(datastore) ?? (await this.ports.streams.keysOf(datastore));
      keys.set(datastore, known);
      const { keyId } = meta;
      if (keyId !== undefined && !known.includes(keyId)) return;
      const { documents, shared } = foundOf(found, datastore);
      documents.add(stream.slice(DOCUMENT_PREFIX.length));
      if (keyId !== undefined) shared.add(keyId);
    }
  }

  /** Whether nothing is left to do for this datastore. */
  private async reseal(id: string, { documents, shared, isOld }: Found): Promise<boolean> {
    const { streams, contentKeys } = this.ports;
    let datastore = await streams.datastore(id);
    // A read that lags behind shows nothing yet.
    if (datastore === null) return (await streams.lastRevision(datastoreStream(id))) >= 0;
    const last = datastore.keys.at(-1);
    if (last === undefined || shared.has(last) || (isOld && wantsOwnSeal(datastore))) {
      await sayDatastoreAgain(datastore, this.ports);
      datastore = await streams.datastore(id);
      if (datastore === null) return true;
    }
    const parent = datastore.keys.at(-1);
    if (parent === undefined || shared.has(parent)) return false;
    let isDone = true;
    for (const document of documents) {
      this.stopping.signal.throwIfAborted();
      isDone = (await this.resealDocument(document, datastore, parent)) && isDone;
    }
    if (!isDone || !(await this.isAlone(id))) return false;
    // Not those below: what was uploaded while the datastore got its key may be.
    for (const key of datastore.keys) if (key !== parent) await contentKeys.destroy(key);
    return true;
  }

  /** Nobody of an older version seals with the old key any more. */
  private async isAlone(id: string): Promise<boolean> {
    const { log, streams, clock } = this.ports;
    if (log.exclusive) return true;
    const said = await streams.lastSaidOf(id);
    return said !== null && said < clock.now() - OTHERS_MS;
  }

  private async resealDocument(id: string, above: Datastore, parent: string): Promise<boolean> {
    const { streams, uploads, datastoreKeys } = this.ports;
    const { document, revision: lastRevision } = await streams.document(id);
    if (document === null) return lastRevision >= 0;
    const { keys, status, upload, project, revision } = document;
    const key = keys.at(-1);
    if (key !== undefined && !above.keys.includes(key)) {
      await uploads.keepOnly(scopeOf(upload), document.file);
      return true;
    }
    // What comes of it is not known yet.
    if (status === 'processing') return false;
    const sealed = await this.withSealedFile(document);
    const own = await datastoreKeys.drawBelow(parent);
    const by = { project, actor: RESEALER };
    const { kind } = await streams.append(documentStream(id), [sayAgain(sealed)], by, revision, own);
    // A conflict is a deletion, or another who does the same: the next look shows which.
    if (kind === 'appended') await uploads.keepOnly(scopeOf(upload), sealed.file);
    return kind === 'appended';
  }

  private async withSealedFile(document: Document): Promise<Document> {
    if (document.fileKey !== undefined) return document;
    const { uploads, logger } = this.ports;
    try {
      const { name, key } = await uploads.sealAnew(scopeOf(document.upload), document.file);
      return { ...document, file: name, fileKey: key };
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
      logger.warn({ document: document.id }, 'the file of a document is gone');
      return document;
    }
  }
}

/** One that could not be opened is not tried again. */
const wantsOwnSeal = ({ connection, keys }: Datastore): boolean =>
  connection !== null && !isOwnSeal(connection) && keys.length < 2;

/** What is erased, or is not what was written, is left as it is: nobody can say it again. */
function isReadable(event: RecordedEvent): boolean {
  if (event.isErased === true) return false;
  try {
    return typeof event.data === 'object';
  } catch {
    return false;
  }
}

function foundOf(found: Map<string, Found>, datastore: string): Found {
  let one = found.get(datastore);
  if (one === undefined)
    found.set(datastore, (one = { documents: new Set(), shared: new Set(), isOld: false }));
  return one;
}
