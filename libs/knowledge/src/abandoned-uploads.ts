import { DATASTORE_PREFIX, DOCUMENT_PREFIX, documentEvent } from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';
import type { UploadStore } from '#vault';
import type { Clock, Logger } from '#platform';
import { SCOPE_PREFIX, scopeOf } from './index-document.js';
import type { KnowledgeRows } from './postgres/knowledge-rows.js';

interface AbandonedUploadsPorts {
  readonly log: EventLog;
  readonly uploads: UploadStore;
  readonly rows: KnowledgeRows;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How old a file must be where other processes take in files, too: one of theirs may not be on the log yet. */
const OTHERS_MS = 24 * 60 * 60 * 1000;

/**
 * Garbage collection of files that no document refers to, left by a process that died between a file and its event.
 * The log decides, for rows may lag behind; it is read to its end only for files that are in no row.
 */
export class AbandonedUploads {
  private readonly before: number;

  /** To be made before this process takes in files. */
  constructor(private readonly ports: AbandonedUploadsPorts) {
    const { clock, log } = ports;
    this.before = clock.now() - (log.exclusive ? 0 : OTHERS_MS);
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const { uploads, rows, logger } = this.ports;
    const scopes = await uploads.scopesBefore(SCOPE_PREFIX, this.before);
    const known = new Set(await rows.knownUploads(scopes.map((scope) => scope.slice(SCOPE_PREFIX.length))));
    const doubtful = scopes.filter((scope) => !known.has(scope.slice(SCOPE_PREFIX.length)));
    if (doubtful.length === 0) return;
    const { wanted, begun } = await this.logged(signal);
    const unwanted = doubtful.filter((scope) => !wanted.has(scope));
    // An upload stands behind its datastore, so these are another log's: of the one that is missing here, perhaps.
    const foreign = new Set(await uploads.scopesBefore(SCOPE_PREFIX, begun));
    const abandoned = unwanted.filter((scope) => !foreign.has(scope));
    for (const scope of abandoned) await uploads.remove(scope);
    if (abandoned.length > 0)
      logger.info({ files: abandoned.length }, 'files without a document were removed');
    const left = unwanted.length - abandoned.length;
    if (left > 0)
      logger.warn(
        { files: left },
        'files of documents are older than the log, and stay: is it the right one?',
      );
  }

  /** What the log says of files, and when it was begun. */
  private async logged(
    signal: AbortSignal,
  ): Promise<{ readonly wanted: ReadonlySet<string>; readonly begun: number }> {
    const documents: Uploads = new Map();
    let begun = Infinity;
    for await (const { events } of this.ports.log.readAll()) {
      signal.throwIfAborted();
      for (const event of events) {
        begun = Math.min(begun, event.time);
        follow(documents, event);
      }
    }
    return { wanted: new Set(Array.from(documents.values(), ({ upload }) => scopeOf(upload))), begun };
  }
}

/** By document. */
type Uploads = Map<string, { readonly datastore: string; readonly upload: string }>;

function follow(documents: Uploads, event: RecordedEvent): void {
  const { stream } = event;
  if (stream.startsWith(DOCUMENT_PREFIX)) {
    const fact = documentEvent(event);
    if (fact?.type === 'document_deleted') documents.delete(stream);
    // What is erased refers to no file any more, unless it is said again.
    else if (fact === null || event.isErased === true) return;
    else if (fact.type === 'document_uploaded') documents.set(stream, fact.data);
    else if (fact.data.again) documents.set(stream, fact.data.again);
  } else if (event.type === 'datastore_deleted' && stream.startsWith(DATASTORE_PREFIX)) {
    const id = stream.slice(DATASTORE_PREFIX.length);
    for (const [document, { datastore }] of documents) if (datastore === id) documents.delete(document);
  }
}
