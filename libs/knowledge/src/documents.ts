import {
  type Document,
  type ListPage,
  type PageRequest,
  creationCursors,
  documentStream,
  notFound,
  pageOf,
  type ProjectId,
} from '#domain';
import type { Freshness } from '#event-log';
import type { Deletions } from './erasure/deletions.js';
import { type Datastores, requireDocuments } from './datastores.js';
import type { Author } from './ports.js';
import type { DocumentRow, KnowledgeRows } from './postgres/knowledge-rows.js';
import type { KnowledgeStreams } from './streams.js';

const CURSORS = creationCursors('documents');

/** Shows and deletes documents. */
export class Documents {
  constructor(
    private readonly ports: {
      readonly datastores: Datastores;
      readonly streams: KnowledgeStreams;
      readonly deletions: Deletions;
      readonly rows: KnowledgeRows;
      readonly freshness: Freshness;
    },
  ) {}

  /** @throws Problem not_found, also where its datastore is gone */
  async require(project: ProjectId, id: string): Promise<Document> {
    const { document } = await this.ports.streams.document(id);
    if (document === null || document.project !== project) throw notFound('the document');
    const datastore = await this.ports.streams.datastore(document.datastore);
    if (datastore === null) throw notFound('the document');
    return document;
  }

  /** Newest first. @throws Problem not_found, unprocessable, invalid_request */
  async list(
    project: ProjectId,
    datastore: string,
    { limit, cursor }: PageRequest,
  ): Promise<ListPage<DocumentRow>> {
    const before = CURSORS.decode(cursor, { datastore });
    requireDocuments(await this.ports.datastores.require(project, datastore));
    await this.ports.freshness.caughtUp();
    const found = await this.ports.rows.documents(datastore, limit + 1, before);
    return pageOf(found, limit, (last) => CURSORS.encode(last, { datastore }));
  }

  /**
   * With its file and its passages: nothing of it can be read any more, for its key is destroyed.
   * @throws Problem not_found; LogUnavailable: once it is on the log, who follows it does the rest
   */
  async delete(id: string, by: Author): Promise<void> {
    const { streams, deletions, freshness } = this.ports;
    for (;;) {
      const { revision, upload, datastore, keys: named } = await this.require(by.project, id);
      const above = await streams.keysOf(datastore);
      // A document of an older version may have that of the datastore until it gets its own.
      const keys = named.filter((key) => !above.includes(key));
      const deleted = { type: 'document_deleted', data: { keys, upload } } as const;
      const { kind } = await streams.append(documentStream(id), [deleted], by, revision);
      // The outcome of its reading may come in between.
      if (kind !== 'appended') continue;
      await deletions.ofDocument(keys);
      return freshness.caughtUp();
    }
  }
}
