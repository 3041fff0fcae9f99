import {
  DATASTORE_PREFIX,
  DOCUMENT_PREFIX,
  type Document,
  type DocumentEvent,
  type StoredAt,
  type StoredFact,
  type UploadedDocument,
  datastoreEvent,
  documentEvent,
  evolveDocument,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import { type TransactionClient, assignments, raw, sql, statement, writeRows } from '#postgres';
import { DATASTORES, type DatastoreRow } from './datastores-table.js';
import { DOCUMENTS, type DocumentRow } from './documents-table.js';
import { markDatastoreGone, markGone } from './gone-texts.js';
import { IN } from './tables.js';

/** What an event changes in the rows. Returns the uploads that are gone with it. */
export async function applyEvent(
  client: TransactionClient,
  event: RecordedEvent,
): Promise<readonly string[]> {
  if (event.stream.startsWith(DATASTORE_PREFIX))
    return applyDatastoreEvent(client, event.stream.slice(DATASTORE_PREFIX.length), event);
  if (event.stream.startsWith(DOCUMENT_PREFIX))
    return applyDocumentEvent(client, event.stream.slice(DOCUMENT_PREFIX.length), event);
  return [];
}

async function applyDatastoreEvent(
  client: TransactionClient,
  id: string,
  event: RecordedEvent,
): Promise<readonly string[]> {
  const fact = datastoreEvent(event);
  if (fact?.type === 'datastore_deleted') return deleteDatastore(client, id);
  // What is erased is told again under another key, or was deleted.
  if (fact === null || event.isErased === true) return [];
  const { name, type, created_at: createdAt = event.time } = fact.data;
  await client.query(WRITE_DATASTORES([{ id, project: event.meta.project, name, type, createdAt }]));
  return [];
}

const WRITE_DATASTORES = statement(
  writeRows(DATASTORES, { schema: IN, rows: (rows: readonly DatastoreRow[]) => rows }),
);

/** Uploads that are being read and have no row of a document yet are gone, too. */
async function deleteDatastore(client: TransactionClient, id: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ upload: string }>(UPLOADS_IN(id));
  const uploads = rows.map(({ upload }) => upload);
  await markDatastoreGone(client, id);
  for (const deleteRows of DELETE_FROM_DATASTORE) await client.query(deleteRows(id));
  await client.query(DELETE_DATASTORE(id));
  return uploads;
}

const self = <T>(value: T): T => value;
const UPLOADS_IN = statement(sql<string>`
  SELECT upload FROM ${IN}.documents WHERE datastore = ${self}
  UNION SELECT upload FROM ${IN}.texts WHERE datastore = ${self}`);
const DELETE_FROM_DATASTORE = ['documents', 'languages'].map((table) =>
  statement(sql<string>`DELETE FROM ${IN}.${raw(table)} WHERE datastore = ${self}`),
);
const DELETE_DATASTORE = statement(sql<string>`DELETE FROM ${IN}.datastores WHERE id = ${self}`);
const DELETE_DOCUMENT = statement(
  sql<string>`DELETE FROM ${IN}.documents WHERE id = ${self} RETURNING upload`,
);

async function applyDocumentEvent(
  client: TransactionClient,
  id: string,
  event: RecordedEvent,
): Promise<readonly string[]> {
  const fact = documentEvent(event);
  if (fact?.type === 'document_deleted') return deleteDocument(client, id, fact.data.upload);
  if (fact === null || event.isErased === true) return [];
  if (fact.type === 'document_uploaded') return insertDocument(client, id, event, fact.data);
  const { again } = fact.data;
  if (again !== undefined) return sayAgain(client, id, fact, again);
  await client.query(SET_OUTCOME({ ...outcomeOf(id, fact), id }));
  return [];
}

type Outcome = Pick<Document, 'status' | 'failure' | 'pages' | 'warnings' | 'indexedAt'>;

/** What the event says, whatever document it is about. */
function outcomeOf(id: string, fact: StoredFact<DocumentEvent>): Outcome {
  const outcome = evolveDocument(id, ANY, fact);
  if (outcome === null) throw new Error(`${fact.type} is no outcome of a document`);
  return outcome;
}

const ANY: Document = {
  id: '',
  project: '',
  datastore: '',
  filename: '',
  bytes: 0,
  sha256: '',
  upload: '',
  file: '',
  status: 'processing',
  failure: null,
  passages: 0,
  pages: null,
  warnings: [],
  createdAt: 0,
  indexedAt: null,
  revision: 0,
  keys: [],
};

const SET_OUTCOME = statement(sql<Outcome & { readonly id: string }>`
  UPDATE ${IN}.documents SET ${assignments(
    DOCUMENTS,
    ['status', 'failure', 'pages', 'warnings', 'indexedAt'],
    (outcome: Outcome & { readonly id: string }) => outcome,
  )} WHERE id = ${({ id }) => id}`);

/** Where the rows are filled anew, this is the first that can be read of the document. */
async function sayAgain(
  client: TransactionClient,
  id: string,
  fact: StoredFact<DocumentEvent>,
  again: UploadedDocument & { readonly created_at: number },
): Promise<readonly string[]> {
  const { rowCount } = await client.query(SET_FILE({ ...again, id }));
  const gone =
    rowCount === 1 ? [] : await insertDocument(client, id, { ...fact, time: again.created_at }, again);
  await client.query(SET_OUTCOME({ ...outcomeOf(id, fact), id }));
  return gone;
}

const SET_FILE = statement(sql<UploadedDocument & { readonly id: string }>`
  UPDATE ${IN}.documents SET file = ${({ file }) => file}
  WHERE id = ${({ id }) => id} AND upload = ${({ upload }) => upload}`);

async function insertDocument(
  client: TransactionClient,
  id: string,
  { time, meta }: StoredAt,
  { datastore, filename, bytes, upload, file }: UploadedDocument,
): Promise<readonly string[]> {
  // An upload after a failure takes the place of the one before.
  const gone = await deleteDocument(client, id);
  const { project } = meta;
  const row = { ...UNREAD, id, datastore, project, filename, bytes, upload, file, createdAt: time };
  const { rowCount } = await client.query(WRITE_DOCUMENTS([row]));
  // The datastore was deleted while the file came.
  if (rowCount === 0) await markGone(client, [upload]);
  return rowCount === 0 ? [...gone, upload] : gone;
}

const UNREAD: Outcome = { status: 'processing', failure: null, pages: null, warnings: [], indexedAt: null };

const WRITE_DOCUMENTS = statement(
  writeRows(DOCUMENTS, {
    schema: IN,
    rows: (rows: readonly DocumentRow[]) => rows,
    when: sql`EXISTS (SELECT FROM ${IN}.datastores d WHERE d.id = given.datastore)`,
  }),
);

/** @param upload what the log says that it was: its own event may have been erased before its row was made */
async function deleteDocument(
  client: TransactionClient,
  id: string,
  upload?: string,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ upload: string }>(DELETE_DOCUMENT(id));
  const gone = new Set(rows.map((row) => row.upload));
  if (upload !== undefined) gone.add(upload);
  await markGone(client, [...gone]);
  return [...gone];
}
