import {
  type Document,
  type DocumentEvent,
  Problem,
  documentId,
  documentStream,
  notFound,
  type ProjectId,
  type Revision,
} from '#domain';
import { type AppendResult, isErasure, type Freshness } from '#event-log';
import { type ReceivedFile, type UploadStore } from '#vault';
import type { Background, Clock, Logger, Random, Reservation } from '#platform';
import { type Datastores, requireDocuments } from './datastores.js';
import { type Extraction, unsupportedFormat } from '#extraction';
import { type DocumentOutcomes, outcomeOf } from './outcomes.js';
import { type Author, type CreationKeys, type CreationRequest, metaOf } from './ports.js';
import { type PassageRows, TextLost, type UploadRef } from './postgres/passage-rows.js';
import type { KnowledgeStreams } from './streams.js';
import type { StoredBytes } from './stored-bytes.js';
import { ReadingStopped, type TextReader } from './text-reader.js';

export interface IndexDocument {
  readonly datastore: string;
  /** Without a path. */
  readonly filename: string;
  readonly file: ReceivedFile;
  readonly by: Author;
  readonly key?: string;
}

interface IndexDocumentPorts {
  readonly datastores: Datastores;
  readonly streams: KnowledgeStreams;
  readonly reader: TextReader;
  readonly passages: PassageRows;
  readonly outcomes: DocumentOutcomes;
  readonly freshness: Freshness;
  readonly stored: StoredBytes;
  readonly uploads: UploadStore;
  readonly keys: CreationKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** How long an answer waits for the text. What takes longer is answered `processing`. */
const QUICK_MS = 4_000;

/** The file store's scope of an upload: nothing else lies in it. */
export const scopeOf = (upload: string): string => SCOPE_PREFIX + upload;
export const SCOPE_PREFIX = 'document-';

/**
 * Ingests uploads into a datastore. Extracts the text before it accepts one, so that an unreadable file leaves
 * nothing behind.
 */
export class IndexDocumentHandler {
  constructor(private readonly ports: IndexDocumentPorts) {}

  /** Takes over the received file. @throws Problem not_found, unprocessable, unsupported_media_type, idempotency_mismatch */
  async index(asked: IndexDocument): Promise<Document> {
    const { file } = asked;
    let isReadOn = false;
    let isKept = false;
    let reserved: Reservation | null = null;
    try {
      const request = this.keyed(asked);
      const known = await this.findByKey(request, asked.by.project);
      if (known !== null) return known;
      await this.requirePlace(asked);
      const id = documentId(asked.datastore, file.sha256, asked.filename);
      const place = await this.ports.streams.document(id);
      if (place.document !== null && place.document.status !== 'failed') {
        if (request !== null) await this.ports.keys.useResource(request, metaOf(asked.by), id);
        return place.document;
      }
      reserved = await this.unlessUnsupported(file, () =>
        this.ports.stored.reserve(asked.by.project, file.bytes),
      );
      const upload = { upload: this.ports.random.hex(16), datastore: asked.datastore };
      const reading = this.ports.reader.read(upload, file, {
        project: asked.by.project,
        filename: asked.filename,
      });
      const early = await this.early(reading, upload);
      const document = await this.accept(asked, request, { id, upload, revision: place.revision, early });
      isKept = document.upload === upload.upload;
      if (early === null && isKept) {
        isReadOn = true;
        this.readOn(reading, id, upload.upload, file);
      }
      return document;
    } catch (error) {
      // Its key was destroyed while the file came.
      throw isErasure(error) ? notFound('the datastore') : error;
    } finally {
      reserved?.(isKept);
      if (!isReadOn) await file.discard();
    }
  }

  /** @throws Problem unsupported_media_type, not_found, unprocessable */
  private requirePlace({ by, datastore, file }: IndexDocument): Promise<void> {
    return this.unlessUnsupported(file, async () =>
      requireDocuments(await this.ports.datastores.require(by.project, datastore)),
    );
  }

  /** What no datastore takes is said before that this one is not there, takes no files, or no more of them. */
  private async unlessUnsupported<T>(file: ReceivedFile, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const reason = unsupportedFormat(await file.read());
      throw reason === null ? error : new Problem('unsupported_media_type', reason);
    }
  }

  /** What is known of the text within the time that an answer may take; null: not yet. @throws Problem */
  private async early(reading: Promise<Extraction>, { upload }: UploadRef): Promise<Extraction | null> {
    const patience = this.ports.clock.deadline(QUICK_MS);
    const late = Promise.withResolvers<null>();
    patience.signal.addEventListener('abort', () => late.resolve(null), { once: true });
    try {
      const early = await Promise.race([reading, late.promise]);
      if (early?.kind !== 'unreadable') return early;
      await this.ports.passages.remove(upload).catch(() => undefined);
      throw new Problem(early.code, early.reason);
    } catch (error) {
      if (error instanceof Problem && error.code !== 'unavailable') throw error;
      // The passages have nowhere to go now: the indexer reads the file when they have.
      this.ports.logger.warn({ err: error }, 'a document is read later');
      return null;
    } finally {
      patience[Symbol.dispose]();
    }
  }

  private async accept(
    { datastore, filename, file, by }: IndexDocument,
    request: CreationRequest | null,
    { id, upload: { upload }, revision, early }: Accepting,
  ): Promise<Document> {
    const { datastores, streams, uploads, keys, freshness } = this.ports;
    let isAccepted = false;
    try {
      const name = await file.keep(scopeOf(upload));
      if (request !== null) await keys.useResource(request, metaOf(by), id);
      const { bytes, sha256, key: fileKey } = file;
      const data = { datastore, filename, bytes, sha256, upload, file: name, fileKey };
      const events: DocumentEvent[] = [{ type: 'document_uploaded', data }];
      if (early !== null) events.push(outcomeOf(early));
      const key = await datastores.drawBelow(by.project, datastore);
      const kind = await this.upload(id, events, by, revision, key);
      const { document } = await streams.document(id);
      if (document === null) throw new Problem('conflict', 'the document was deleted meanwhile');
      await datastores.require(by.project, datastore);
      isAccepted = kind === 'appended';
      if (isAccepted && early !== null) await freshness.caughtUp();
      return document;
    } finally {
      if (!isAccepted) {
        this.ports.reader.stop(upload);
        await uploads.remove(scopeOf(upload));
        await this.ports.passages.remove(upload).catch(() => undefined);
      }
    }
  }

  /** A conflict is the same file, uploaded at the same time; or one that failed is said again under another key. */
  private async upload(
    id: string,
    events: readonly DocumentEvent[],
    by: Author,
    revision: Revision,
    key: string,
  ): Promise<AppendResult['kind']> {
    const { streams } = this.ports;
    for (let last = revision; ;) {
      const expected = last < 0 ? 'no_stream' : last;
      const { kind } = await streams.append(documentStream(id), events, by, expected, key);
      if (kind === 'appended') return kind;
      const { document } = await streams.document(id);
      if (document?.status !== 'failed') return kind;
      last = document.revision;
    }
  }

  /** The rest of a reading that the answer did not wait for. */
  private readOn(reading: Promise<Extraction>, id: string, upload: string, file: ReceivedFile): void {
    const { background, outcomes, logger } = this.ports;
    background.start('read a document', async () => {
      try {
        await outcomes.record(id, upload, await reading);
      } catch (error) {
        const isStopped = error instanceof ReadingStopped || error instanceof TextLost;
        if (!isStopped) logger.warn({ err: error, document: id }, 'a document is read again later');
      } finally {
        await file.discard();
      }
    });
  }

  private keyed({ key, by, datastore, filename, file }: IndexDocument): CreationRequest | null {
    if (key === undefined) return null;
    const payload = { datastore_id: datastore, filename, sha256: file.sha256 };
    return { project: by.project, operation: 'index_document', key, payload };
  }

  /** The key's stream may be there without the document: then it is made now. @throws Problem not_found */
  private async findByKey(request: CreationRequest | null, project: ProjectId): Promise<Document | null> {
    const { keys, streams, datastores } = this.ports;
    const id = request === null ? null : await keys.findResource(request);
    if (id === null) return null;
    const { document, revision } = await streams.document(id);
    if (document === null && revision < 0) return null;
    if (document === null) throw new Problem('not_found', 'the document was deleted');
    await datastores.require(project, document.datastore);
    return document;
  }
}

interface Accepting {
  readonly id: string;
  readonly upload: UploadRef;
  /** Of the document's stream; negative where there is none. */
  readonly revision: Revision;
  readonly early: Extraction | null;
}
