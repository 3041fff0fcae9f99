import type { CreationKey, ProjectId } from '#domain';
import type { FollowerBatch } from '#event-log';
import {
  type TransactionClient,
  type Checkpoint,
  CheckpointMoved,
  NOTHING_SEALED,
  namesOf,
  readRow,
  sql,
  statement,
} from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { applyEvent } from './applied-events.js';
import { DATASTORES, type DatastoreRow } from './datastores-table.js';
import { DOCUMENTS, type DocumentRow } from './documents-table.js';
import type { UploadRef } from './counted-passages.js';
import { markGone } from './gone-texts.js';
import { CHECKPOINT, IN, SCHEMA } from './tables.js';
import { markVacuumDue } from './vacuum.js';

export type { DatastoreRow } from './datastores-table.js';
export type { DocumentRow } from './documents-table.js';

/** An upload whose text nobody has read yet, or not to its end. */
export interface UnreadUpload extends UploadRef {
  readonly document: string;
  readonly project: ProjectId;
}

/** Datastores and documents as their lists show them. */
export class KnowledgeRows {
  constructor(private readonly database: KnowledgeDatabase) {}

  loadCheckpoint(): Promise<Checkpoint | null> {
    return CHECKPOINT.load(this.database);
  }

  /**
   * Rows and checkpoint together, and `remove` for the uploads that are gone for good: a process that dies meanwhile does it
   * again. Returns whether something was deleted. @throws CheckpointMoved
   */
  async apply(batch: FollowerBatch, remove: (uploads: readonly string[]) => Promise<void>): Promise<boolean> {
    const gone: string[] = [];
    const { events } = batch;
    const isDeletion = events.some(({ type }) => type === 'datastore_deleted' || type === 'document_deleted');
    const isDone = await this.database.transaction(async (client) => {
      gone.length = 0;
      if (!(await moveCheckpoint(client, batch))) return false;
      for (const event of events) gone.push(...(await applyEvent(client, event)));
      await remove(gone);
      if (isDeletion || gone.length > 0) await markVacuumDue(client);
      return true;
    });
    if (!isDone) throw new CheckpointMoved('another process follows, too');
    return isDeletion || gone.length > 0;
  }

  async datastores(project: string, limit: number, before: CreationKey | null): Promise<DatastoreRow[]> {
    const { rows } = await this.database.query(LIST_DATASTORES({ of: project, limit, before }));
    return rows.map((row) => readRow(DATASTORES, row, NOTHING_SEALED));
  }

  async documents(datastore: string, limit: number, before: CreationKey | null): Promise<DocumentRow[]> {
    const { rows } = await this.database.query(LIST_DOCUMENTS({ of: datastore, limit, before }));
    return rows.map((row) => readRow(DOCUMENTS, row, NOTHING_SEALED));
  }

  /** What the files of a project's documents weigh together, those that cannot be read, too. */
  async storedBytes(project: ProjectId): Promise<number> {
    const { rows } = await this.database.query(STORED_BYTES(project));
    return (rows as readonly { bytes: number }[])[0]?.bytes ?? 0;
  }

  /** Uploads that wait for a reader: of each project the oldest first, and the projects by turns. */
  async unread(limit: number): Promise<UnreadUpload[]> {
    const { rows } = await this.database.query(LIST_UNREAD(limit));
    return rows as UnreadUpload[];
  }

  /** Those of the uploads that a document refers to. */
  async knownUploads(uploads: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.database.query(KNOWN_UPLOADS(uploads));
    return (rows as { upload: string }[]).map(({ upload }) => upload);
  }

  /** After a crash of the only process: nobody reads, and what belongs to no document never will. */
  async forgetReaders(): Promise<void> {
    await this.database.transaction(async (client) => {
      await removeUnowned(client, 'true');
      await client.query(`UPDATE ${SCHEMA}.texts SET held_until = '-infinity' WHERE passages IS NULL`);
      return true;
    });
  }

  /** Where others read, too: what was let go of a day ago and belongs to no document. */
  async removeAbandoned(): Promise<void> {
    await this.database.transaction(async (client) => {
      await removeUnowned(client, `held_until < now() - interval '1 day'`);
      return true;
    });
  }
}

interface Page {
  /** Of whom, or in what. */
  readonly of: string;
  readonly limit: number;
  readonly before: CreationKey | null;
}
const createdAt = ({ before }: Page): number | null => before?.createdAt ?? null;

/** Newest first. */
const PAGE = sql<Page>`(${createdAt}::bigint IS NULL
    OR (created_at, id) < (${createdAt}, ${({ before }) => before?.id ?? null}))
  ORDER BY created_at DESC, id DESC LIMIT ${({ limit }) => limit}`;

const LIST_DATASTORES = statement(
  sql<Page>`SELECT ${namesOf(DATASTORES)} FROM ${IN}.datastores WHERE project = ${({ of }) => of} AND ${PAGE}`,
);
const LIST_DOCUMENTS = statement(
  sql<Page>`SELECT ${namesOf(DOCUMENTS)} FROM ${IN}.documents WHERE datastore = ${({ of }) => of} AND ${PAGE}`,
);

const STORED_BYTES = statement(sql<ProjectId>`
  SELECT coalesce(sum(d.bytes), 0)::float8 AS bytes FROM ${IN}.datastores s
  JOIN ${IN}.documents d ON d.datastore = s.id WHERE s.project = ${(project) => project}`);

const LIST_UNREAD = statement(sql<number>`
  SELECT d.upload, d.datastore, d.project, d.id AS document
  FROM ${IN}.documents d LEFT JOIN ${IN}.texts t USING (upload)
  WHERE d.status <> 'failed' AND t.passages IS NULL AND t.is_gone IS NOT TRUE AND (t.held_until IS NULL OR t.held_until < now())
  ORDER BY row_number() OVER (PARTITION BY d.project ORDER BY d.created_at, d.id), d.created_at, d.id
  LIMIT ${(limit) => limit}`);

const KNOWN_UPLOADS = statement(
  sql<readonly string[]>`SELECT upload FROM ${IN}.documents WHERE upload = ANY (${(uploads) => uploads})`,
);

async function removeUnowned(client: TransactionClient, which: string): Promise<void> {
  const { rows } = await client.query<{ upload: string }>(
    `SELECT upload FROM ${SCHEMA}.texts t
     WHERE NOT EXISTS (SELECT 1 FROM ${SCHEMA}.documents d WHERE d.upload = t.upload) AND ${which}`,
  );
  await markGone(
    client,
    rows.map(({ upload }) => upload),
  );
}

async function moveCheckpoint(
  client: TransactionClient,
  { logId, from, to }: FollowerBatch,
): Promise<boolean> {
  if (from === 0) await CHECKPOINT.begin(client, logId);
  return CHECKPOINT.advance(client, { from: { logId, position: from }, to: { logId, position: to } });
}
