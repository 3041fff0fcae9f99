import type { Document } from '#domain';
import type { DatastoreRow, DocumentRow, SearchItem } from '#knowledge';

const timestamp = (ms: number): string => new Date(ms).toISOString();

/** Never its connection string. */
export const datastoreView = ({ id, name, type, createdAt }: DatastoreRow) => ({
  datastore_id: id,
  name,
  type,
  created_at: timestamp(createdAt),
});

/** What the upload is answered with. */
export const uploadView = ({
  id,
  datastore,
  filename,
  status,
  indexedAt,
  warnings,
}: Document | DocumentRow) => ({
  document_id: id,
  datastore_id: datastore,
  filename,
  status,
  indexed_at: indexedAt === null ? null : timestamp(indexedAt),
  warnings,
});

export const documentView = (document: Document | DocumentRow) => ({
  ...uploadView(document),
  created_at: timestamp(document.createdAt),
  bytes: document.bytes,
  pages: document.pages,
  error: document.failure === null ? null : { code: document.failure.code, message: document.failure.reason },
});

export const searchItemView = ({ document, filename, page, text, score }: SearchItem) => ({
  document_id: document,
  filename,
  page,
  text,
  score,
});
