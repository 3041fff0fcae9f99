import type { ProjectId, Revision } from '../ids.js';
import { typedReader } from '../typed-event.js';
import { type Erased, type StoredFact, withKeyOf } from './datastore.js';

export type DocumentStatus = 'processing' | 'indexed' | 'failed';

/** Why a document cannot be read, as a caller is told: its format, or what is in it. */
export interface Unreadable {
  readonly code: 'unsupported_media_type' | 'unprocessable';
  readonly reason: string;
}

/** That something of a file is missing from its text, and what. */
export interface DocumentWarning {
  readonly code: string;
  /** For people, at most 300 characters. */
  readonly detail: string;
  /** Absent where it is about no single one. */
  readonly page?: number;
}

/** A file as it was uploaded. */
export interface UploadedDocument {
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
}

/** What became of an upload, told once more under another key: with all that was said of it under the one before. */
export interface SaidAgain {
  /** Absent where it is said for the first time. */
  readonly again?: UploadedDocument & { readonly created_at: number; readonly indexed_at: number | null };
}

/** Events of a `document-` stream. A deleted or failed document may be uploaded again. */
export type DocumentEvent =
  | { readonly type: 'document_uploaded'; readonly data: UploadedDocument }
  | {
      readonly type: 'document_indexed';
      readonly data: {
        readonly passages: number;
        readonly pages: number | null;
        /** Absent where there are none, and in events of earlier versions. */
        readonly warnings?: readonly DocumentWarning[];
      } & SaidAgain;
    }
  | { readonly type: 'document_failed'; readonly data: Unreadable & SaidAgain }
  | {
      readonly type: 'document_deleted';
      /** With the upload, for nobody can read any more which one it was. */
      readonly data: Erased & { readonly upload?: string };
    };

export const documentEvent = typedReader<DocumentEvent>({
  document_uploaded: true,
  document_indexed: true,
  document_failed: true,
  document_deleted: true,
});

export interface Document extends Omit<UploadedDocument, 'fileKey'> {
  readonly id: string;
  readonly project: ProjectId;
  readonly fileKey?: string | undefined;
  readonly status: DocumentStatus;
  readonly failure: Unreadable | null;
  readonly passages: number;
  readonly pages: number | null;
  readonly warnings: readonly DocumentWarning[];
  /** ms since 1970 */
  readonly createdAt: number;
  readonly indexedAt: number | null;
  /** Of its last event. */
  readonly revision: Revision;
  /** Ids of the keys that its events are sealed with. What comes is sealed with the last. */
  readonly keys: readonly string[];
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
  if (fact.type === 'document_deleted') return null;
  if (fact.type === 'document_uploaded') {
    if (fact.isErased === true) return null;
    return uploaded(id, document, fact, fact.data, time);
  }
  if (fact.isErased === true) return document === null ? null : { ...document, revision };
  const { again } = fact.data;
  const known = again === undefined ? document : uploaded(id, document, fact, again, again.created_at);
  if (known === null) return null;
  const keys = withKeyOf(known.keys, fact);
  if (fact.type === 'document_failed') {
    const { code, reason } = fact.data;
    return { ...known, status: 'failed', failure: { code, reason }, revision, keys };
  }
  const { passages, pages, warnings = [] } = fact.data;
  const indexedAt = again === undefined ? time : again.indexed_at;
  return { ...known, status: 'indexed', passages, pages, warnings, indexedAt, revision, keys };
}

function uploaded(
  id: string,
  before: Document | null,
  fact: StoredFact<DocumentEvent>,
  { datastore, filename, bytes, sha256, upload, file, fileKey }: UploadedDocument,
  createdAt: number,
): Document {
  const { revision, meta } = fact;
  const of = { id, project: meta.project, datastore, filename, bytes, sha256, upload, file, fileKey };
  return { ...of, ...FRESH, createdAt, revision, keys: withKeyOf(before?.keys ?? [], fact) };
}

const FRESH = {
  status: 'processing',
  failure: null,
  passages: 0,
  pages: null,
  warnings: [],
  indexedAt: null,
} as const;

/** What became of the document, as it is said again. */
export function sayAgain(document: Document): DocumentEvent {
  const { datastore, filename, bytes, sha256, upload, file, fileKey } = document;
  const { createdAt, indexedAt, failure, passages, pages, warnings } = document;
  const said = { datastore, filename, bytes, sha256, upload, file, ...(fileKey && { fileKey }) };
  const again = { ...said, created_at: createdAt, indexed_at: indexedAt };
  return failure === null
    ? { type: 'document_indexed', data: { passages, pages, ...(warnings.length > 0 && { warnings }), again } }
    : { type: 'document_failed', data: { ...failure, again } };
}
