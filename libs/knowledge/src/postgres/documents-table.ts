import type { DocumentStatus, DocumentWarning, Unreadable } from '#domain';
import {
  type Field,
  type RowOf,
  changing,
  integer,
  jsonb,
  mapped,
  nullable,
  parted,
  table,
  text,
  whole,
} from '#postgres';

/** Both are null where nothing failed. */
type FailureParts = { readonly [P in keyof Unreadable]: Unreadable[P] | null };

const failure: Field<Unreadable | null> = parted(
  { code: nullable(text<Unreadable['code']>('failure_code')), reason: nullable(text('failure_reason')) },
  (value: Unreadable | null): FailureParts => value ?? { code: null, reason: null },
  ({ code, reason }) => (code === null ? null : { code, reason: reason ?? '' }),
);

/** null: there are none. */
const warnings: Field<readonly DocumentWarning[]> = mapped(
  nullable(jsonb<readonly DocumentWarning[]>('warnings')),
  (list) => (list.length === 0 ? null : list),
  (stored) => stored ?? [],
);

export const DOCUMENTS = table(
  'documents',
  { key: ['id'] },
  {
    id: text('id'),
    datastore: text('datastore'),
    project: text('project'),
    filename: text('filename'),
    bytes: whole('bytes'),
    upload: text('upload'),
    file: changing(text('file')),
    status: changing(text<DocumentStatus>('status')),
    failure: changing(failure),
    pages: changing(nullable(integer('pages'))),
    warnings: changing(warnings),
    /** ms since 1970, as all times. */
    createdAt: whole('created_at'),
    indexedAt: changing(nullable(whole('indexed_at'))),
  },
);

export type DocumentRow = Readonly<RowOf<typeof DOCUMENTS>>;
