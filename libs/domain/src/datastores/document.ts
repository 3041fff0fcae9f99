import type { StoredFact } from './datastore.js';

export type DocumentStatus = 'processing' | 'indexed' | 'failed';

/** Why a document cannot be read, as a caller is told: its format, or what is in it. */
export interface Unreadable {
  readonly code: 'unsupported_media_type' | 'unprocessable';
  readonly reason: string;
}

/** Events of a `document-` stream. A deleted or failed document may be uploaded again. */
export type DocumentEvent =
  | {
      readonly type: 'document_uploaded';
      readonly data: {
        readonly datastore: string;
        readonly filename: string;
        readonly bytes: number;
        /** Of the content, hex. */
        readonly sha256: string;
        /** Of this upload alone: the scope of its file, and the owner of its passages. */
        readonly upload: string;
        /** Name of the file within its scope. */
        readonly file: string;
        /** What the file is sealed with, hex; absent: it lies as it was sent, as before files were sealed. */
        readonly fileKey?: string;
      };
    }
  | {
      readonly type: 'document_indexed';
      readonly data: { readonly passages: number; readonly pages: number | null };
    }
  | { readonly type: 'document_failed'; readonly data: Unreadable }
  | { readonly type: 'document_deleted'; readonly data: Readonly<Record<string, never>> };

export interface Document {
  readonly id: string;
  readonly project: string;
  readonly datastore: string;
  readonly filename: string;
  readonly bytes: number;
  readonly upload: string;
  readonly file: string;
  readonly fileKey?: string | undefined;
  readonly status: DocumentStatus;
  readonly failure: Unreadable | null;
  readonly pages: number | null;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly indexedAt: number | null;
  /** Of its last event. */
  readonly revision: number;
}

/** The document that the events of its stream tell of; null: there is none, or none any more. */
export function foldDocument(id: string, facts: readonly StoredFact<DocumentEvent>[]): Document | null {
  return facts.reduce<Document | null>((document, fact) => evolveDocument(id, document, fact), null);
}

export function evolveDocument(
  id: string,
  document: Document | null,
  fact: StoredFact<DocumentEvent>,
): Document | null {
  const { time, revision } = fact;
  if (fact.type === 'document_uploaded') {
    const { datastore, filename, bytes, upload, file, fileKey } = fact.data as DataOf<'document_uploaded'>;
    const of = { id, project: fact.meta.project, datastore, filename, bytes, upload, file, fileKey };
    const fresh = { status: 'processing', failure: null, pages: null, indexedAt: null } as const;
    return { ...of, ...fresh, createdAt: time, revision };
  }
  if (document === null || fact.type === 'document_deleted') return null;
  if (fact.type === 'document_indexed') {
    const { pages } = fact.data as DataOf<'document_indexed'>;
    return { ...document, status: 'indexed', pages, indexedAt: time, revision };
  }
  return { ...document, status: 'failed', failure: fact.data as DataOf<'document_failed'>, revision };
}

type DataOf<T extends DocumentEvent['type']> = Extract<DocumentEvent, { type: T }>['data'];
