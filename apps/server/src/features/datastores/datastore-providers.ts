import type { ValueProvider } from '@nestjs/common';
import { UploadStore } from '#vault';
import { Datastores, Documents, IndexDocumentHandler, type Knowledge, Search } from '#knowledge';
import { UploadLimit } from './documents.controller.js';

/** What DatastoresModule needs. */
export const datastoreProviders = (
  knowledge: Knowledge,
  uploads: UploadStore,
  maxBytes: number,
): readonly ValueProvider[] => [
  { provide: Datastores, useValue: knowledge.datastores },
  { provide: Documents, useValue: knowledge.documents },
  { provide: IndexDocumentHandler, useValue: knowledge.indexDocument },
  { provide: Search, useValue: knowledge.search },
  { provide: UploadStore, useValue: uploads },
  { provide: UploadLimit, useValue: new UploadLimit(maxBytes) },
];
