import { NewTokenDto } from '../keys/token.dto.js';
import { NewApiKeyDto } from '../keys/api-key.dto.js';
import { NewDatastoreDto, SearchDto } from '../datastores/datastore.dto.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import { pageQuery, revokeQuery } from '../../edge/validation/queries.js';
import { TEXT, component, objectOf, oneOf, pageOf } from '../../edge/openapi/json-schema.js';
import { JSON_TYPE, type Operation, answer } from '../../edge/openapi/operation.js';

const UPLOAD = {
  ...objectOf({
    file: {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: 'Up to MAX_UPLOAD_MB; its name has at most 255 bytes.',
    },
    datastore_id: { type: 'string', minLength: 1, maxLength: LENGTHS.name },
  }),
  additionalProperties: false,
};

const PAGE = { 'text/html': TEXT };

const DATASTORE_OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /create-datastore': {
    id: 'createDatastore',
    tag: 'datastores',
    summary: 'Creates a datastore',
    body: NewDatastoreDto,
    examples: {
      documents: { summary: 'For documents', value: { name: 'Manuals', type: 'documents' } },
    },
    headers: ['Idempotency-Key'],
    answers: answer(201, component('Datastore')),
    // 404: the key made a datastore that has been deleted since.
    refusals: [404, 409, 422],
  },
  'POST /index-document': {
    id: 'indexDocument',
    tag: 'datastores',
    summary: 'Adds a document',
    description: 'PDF, text, Markdown, HTML, CSV, JSON, Office files and images; scans are read by OCR.',
    form: UPLOAD,
    headers: ['Idempotency-Key'],
    answers: answer(201, component('UploadedDocument')),
    refusals: [404, 409, 422],
  },
  'GET /datastores': {
    id: 'listDatastores',
    tag: 'datastores',
    summary: 'Datastores, newest first',
    query: pageQuery,
    answers: answer(200, pageOf(component('Datastore'))),
  },
  'GET /datastores/{id}': {
    id: 'getDatastore',
    tag: 'datastores',
    summary: 'One datastore',
    answers: answer(200, component('Datastore')),
  },
  'DELETE /datastores/{id}': {
    id: 'deleteDatastore',
    tag: 'datastores',
    summary: 'Deletes a datastore and its documents',
    answers: { 204: null },
  },
  'GET /datastores/{id}/documents': {
    id: 'listDocuments',
    tag: 'datastores',
    summary: "A datastore's documents, newest first",
    query: pageQuery,
    answers: answer(200, pageOf(component('Document'))),
    refusals: [422],
  },
  'POST /datastores/{id}/search': {
    id: 'searchDatastore',
    tag: 'datastores',
    summary: 'The best passages for a query',
    body: SearchDto,
    examples: { words: { summary: 'Words', value: { query: 'change the filter', limit: 5 } } },
    answers: answer(200, pageOf(component('SearchItem'))),
    refusals: [422],
  },
  'GET /documents/{id}': {
    id: 'getDocument',
    tag: 'datastores',
    summary: 'One document',
    answers: answer(200, component('Document')),
  },
  'DELETE /documents/{id}': {
    id: 'deleteDocument',
    tag: 'datastores',
    summary: 'Deletes a document',
    answers: { 204: null },
  },
};

/** Datastores, keys and what operators and machines read. */
export const OTHER_OPERATIONS: Readonly<Record<string, Operation>> = {
  ...DATASTORE_OPERATIONS,
  'POST /api-keys': {
    id: 'createApiKey',
    tag: 'keys',
    summary: 'A new key, shown once',
    body: NewApiKeyDto,
    examples: { reader: { summary: 'May run and read', value: { name: 'web', scopes: ['run', 'read'] } } },
    answers: answer(201, component('NewKey')),
  },
  'POST /tokens': {
    id: 'createToken',
    tag: 'keys',
    summary: 'A short-lived key for a browser, shown once',
    description:
      'It starts and reads the runs of one session, or of those that are opened with it, and does nothing else. Event ' +
      'streams take it as `?token=`, too. It ends with the key that made it.',
    body: NewTokenDto,
    examples: {
      page: { summary: 'For a page that chats', value: { scopes: ['run', 'read'], expires_s: 900 } },
    },
    answers: answer(201, component('Token')),
    refusals: [404],
  },
  'GET /api-keys': {
    id: 'listApiKeys',
    tag: 'keys',
    summary: 'Keys',
    query: pageQuery,
    answers: answer(200, pageOf(component('ApiKey'))),
  },
  'DELETE /api-keys/{id}': {
    id: 'deleteApiKey',
    tag: 'keys',
    summary: 'Revokes a key: its open streams end, its tasks are paused (`tasks=keep`: they go on)',
    query: revokeQuery,
    answers: { 204: null },
  },
  'GET /healthz': {
    id: 'healthz',
    tag: 'operations',
    summary: 'The process lives',
    answers: answer(200, objectOf({ status: oneOf('ok') })),
  },
  'GET /readyz': {
    id: 'readyz',
    tag: 'operations',
    summary: 'It takes requests',
    answers: {
      200: { [JSON_TYPE]: component('Readiness') },
      503: { [JSON_TYPE]: component('Readiness') },
    },
  },
  'GET /metrics': {
    id: 'metrics',
    tag: 'operations',
    summary: 'Metrics for Prometheus',
    description:
      'What a key reads concerns its own project. All of them, and the process itself, are shown to the first admin key ' +
      'and to keys with the scope `metrics`, which it alone gives out.',
    answers: { 200: { 'text/plain': TEXT } },
  },
  'GET /openapi.json': {
    id: 'openapi',
    tag: 'operations',
    summary: 'This description',
    answers: answer(200, { type: 'object' }),
  },
  'GET /docs': {
    id: 'docs',
    tag: 'operations',
    summary: 'This description as a page on which it can be tried',
    answers: { 200: PAGE },
  },
  'GET /docs/{file}': {
    id: 'docsFile',
    tag: 'operations',
    summary: 'What the page is made of',
    answers: { 200: { 'text/css': TEXT, 'text/javascript': TEXT } },
  },
};
