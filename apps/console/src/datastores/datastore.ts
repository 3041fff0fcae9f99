export interface DatastoreView {
  readonly datastore_id: string;
  readonly name: string;
  readonly type: 'documents' | 'database';
  readonly created_at: string;
}

export interface DocumentView {
  readonly document_id: string;
  readonly filename: string;
  readonly status: 'indexed' | 'processing' | 'failed';
  readonly indexed_at: string | null;
  readonly created_at: string;
  readonly bytes: number;
  readonly pages: number | null;
  readonly warnings: readonly { readonly code: string; readonly detail: string; readonly page?: number }[];
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A passage that a search found. */
export interface PassageView {
  readonly document_id: string;
  readonly filename: string;
  readonly page: number | null;
  readonly text: string;
  readonly score: number;
}

export const datastorePath = (datastore: string): string =>
  `/console/datastores/${encodeURIComponent(datastore)}`;
