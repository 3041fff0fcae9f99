import { COUNT, TEXT, TIME, listOf, named, objectOf, oneOf, orNull } from '../../edge/openapi/json-schema.js';

export const DATASTORE = named(
  'Datastore',
  objectOf({
    datastore_id: TEXT,
    name: TEXT,
    type: oneOf('database', 'documents'),
    created_at: TIME,
  }),
);

const DOCUMENT_WARNING = named(
  'DocumentWarning',
  objectOf(
    { code: TEXT, detail: TEXT },
    { page: { type: 'integer', minimum: 1, description: 'Of a PDF; slides and sheets count as pages.' } },
  ),
);

const uploaded = {
  document_id: TEXT,
  datastore_id: TEXT,
  filename: TEXT,
  status: oneOf('indexed', 'processing', 'failed'),
  indexed_at: orNull(TIME),
  warnings: {
    ...listOf(DOCUMENT_WARNING),
    maxItems: 50,
    description: 'what the file holds and the index does not',
  },
};

export const UPLOADED_DOCUMENT = named('UploadedDocument', objectOf(uploaded));

export const DOCUMENT = named(
  'Document',
  objectOf({
    ...uploaded,
    created_at: TIME,
    bytes: COUNT,
    pages: orNull(COUNT),
    error: orNull(named('DocumentError', objectOf({ code: TEXT, message: TEXT }))),
  }),
);

export const SEARCH_ITEM = named(
  'SearchItem',
  objectOf({
    document_id: TEXT,
    filename: TEXT,
    page: orNull({ type: 'integer' }),
    text: TEXT,
    score: { type: 'number' },
  }),
);
