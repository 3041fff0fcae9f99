import { UploadStore } from '#vault';
import { Datastores, Documents, IndexDocumentHandler, type Knowledge, Search } from '#knowledge';
import { DatastoresController } from './datastores.controller.js';
import { DocumentsController, UploadLimit } from './documents.controller.js';

/** What the controllers of datastores need. */
export const datastoreProviders = (
  knowledge: Knowledge,
  uploads: UploadStore,
  maxBytes: number,
): readonly (readonly [unknown, unknown])[] => [
  [Datastores, knowledge.datastores],
  [Documents, knowledge.documents],
  [IndexDocumentHandler, knowledge.indexDocument],
  [Search, knowledge.search],
  [UploadStore, uploads],
  [UploadLimit, new UploadLimit(maxBytes)],
];

export const DATASTORE_CONTROLLERS = [DatastoresController, DocumentsController] as const;
