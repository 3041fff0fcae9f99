import type { PoolClient } from 'pg';
import {
  type CreationKey,
  type DatastoreType,
  type DocumentStatus,
  type DocumentWarning,
  type Unreadable,
  type Position,
  type ProjectId,
} from '#domain';
import type { FollowerBatch } from '#event-log';
import type { KnowledgeDatabase } from '../ports.js';
import { applyEvent } from './applied-events.js';
import { type UploadRef, removeUpload } from './passage-rows.js';
import { SCHEMA } from './tables.js';
import { markVacuumDue } from './vacuum.js';

const CHECKPOINT = 'knowledge';

export interface DatastoreRow {
  readonly id: string;
  readonly name: string;
  readonly type: DatastoreType;
  readonly createdAt: number;
}

export interface DocumentRow {
  readonly id: string;
  readonly datastore: string;
  readonly filename: string;
  readonly bytes: number;
  readonly status: DocumentStatus;
  readonly failure: Unreadable | null;
  readonly pages: number | null;
  readonly warnings: readonly DocumentWarning[];
  readonly createdAt: number;
  readonly indexedAt: number | null;
}

/** An upload whose text nobody has read yet, or not to its end. */
export interface UnreadUpload extends UploadRef {
  readonly document: string;
  readonly project: ProjectId;
}

/** Another process has moved the checkpoint. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

/** Datastores and documents as their lists show them. */
export class KnowledgeRows {
  constructor(private readonly database: KnowledgeDatabase) {}

  async loadCheckpoint(): Promise<{ logId: string; position: Position } | null> {
    const { rows } = await this.database.query({
      text: `SELECT log_id, position FROM ${SCHEMA}.checkpoints WHERE name = $1`,
      values: [CHECKPOINT],
    });
    const row = rows[0] as { log_id: string; position: string } | undefined;
    return row === undefined ? null : { logId: row.log_id, position: Number(row.position) };
  }

  /**
   * Rows and checkpoint together, and `remove` for the uploads that are gone for good: a process that dies meanwhile does it
   * again. Returns whether something was deleted. @throws CheckpointMoved
   */
  async apply(
    { logId, events, from, to }: FollowerBatch,
    remove: (uploads: readonly string[]) => Promise<void>,
  ): Promise<boolean> {
    const gone: string[] = [];
    const isDeletion = events.some(({ type }) => type === 'datastore_deleted' || type === 'document_deleted');
    const isDone = await this.database.transaction(async (client) => {
      gone.length = 0;
      if (!(await moveCheckpoint(client, logId, from, to))) return false;
      for (const event of events) gone.push(...(await applyEvent(client, event)));
      await remove(gone);
      if (isDeletion || gone.length > 0) await markVacuumDue(client);
      return true;
    });
    if (!isDone) throw new CheckpointMoved('another process follows, too');
    return isDeletion || gone.length > 0;
  }

  async datastores(project: ProjectId, limit: number, before: CreationKey | null): Promise<DatastoreRow[]> {
    const { rows } = await this.database.query({
      text: `SELECT id, name, type, created_at::float8 AS "createdAt" FROM ${SCHEMA}.datastores
        WHERE project = $1 AND ($2::bigint IS NULL OR (created_at, id) < ($2, $3))
        ORDER BY created_at DESC, id DESC LIMIT $4`,
      values: [project, before?.createdAt ?? null, before?.id ?? null, limit],
    });
    return rows as DatastoreRow[];
  }

  async documents(datastore: string, limit: number, before: CreationKey | null): Promise<DocumentRow[]> {
    const { rows } = await this.database.query({
      text: `SELECT id, datastore, filename, bytes::float8 AS bytes, status, pages,
          coalesce(warnings, '[]') AS warnings,
          created_at::float8 AS "createdAt", indexed_at::float8 AS "indexedAt",
          CASE WHEN failure_code IS NULL THEN NULL
            ELSE jsonb_build_object('code', failure_code, 'reason', failure_reason) END AS failure
        FROM ${SCHEMA}.documents
        WHERE datastore = $1 AND ($2::bigint IS NULL OR (created_at, id) < ($2, $3))
        ORDER BY created_at DESC, id DESC LIMIT $4`,
      values: [datastore, before?.createdAt ?? null, before?.id ?? null, limit],
    });
    return rows as DocumentRow[];
  }

  /** What the files of a project's documents weigh together, those that cannot be read, too. */
  async storedBytes(project: ProjectId): Promise<number> {
    const { rows } = await this.database.query({
      text: `SELECT coalesce(sum(d.bytes), 0)::float8 AS bytes FROM ${SCHEMA}.datastores s
        JOIN ${SCHEMA}.documents d ON d.datastore = s.id WHERE s.project = $1`,
      values: [project],
    });
    return (rows as readonly { bytes: number }[])[0]?.bytes ?? 0;
  }

  /** Uploads that wait for a reader: of each project the oldest first, and the projects by turns. */
  async unread(limit: number): Promise<UnreadUpload[]> {
    const { rows } = await this.database.query({
      text: `SELECT d.upload, d.datastore, d.project, d.id AS document
        FROM ${SCHEMA}.documents d LEFT JOIN ${SCHEMA}.texts t USING (upload)
        WHERE d.status <> 'failed' AND t.passages IS NULL AND (t.held_until IS NULL OR t.held_until < now())
        ORDER BY row_number() OVER (PARTITION BY d.project ORDER BY d.created_at, d.id), d.created_at, d.id
        LIMIT $1`,
      values: [limit],
    });
    return rows as UnreadUpload[];
  }

  /** Those of the uploads that a document refers to. */
  async knownUploads(uploads: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.database.query({
      text: `SELECT upload FROM ${SCHEMA}.documents WHERE upload = ANY($1)`,
      values: [uploads],
    });
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

async function removeUnowned(client: PoolClient, which: string): Promise<void> {
  const { rows } = await client.query<{ upload: string }>(
    `SELECT upload FROM ${SCHEMA}.texts t
     WHERE NOT EXISTS (SELECT 1 FROM ${SCHEMA}.documents d WHERE d.upload = t.upload) AND ${which}`,
  );
  for (const { upload } of rows) await removeUpload(client, upload);
}

async function moveCheckpoint(client: PoolClient, logId: string, from: number, to: number): Promise<boolean> {
  const moved = await client.query(
    `UPDATE ${SCHEMA}.checkpoints SET position = $4 WHERE name = $1 AND log_id = $2 AND position = $3`,
    [CHECKPOINT, logId, from, to],
  );
  if (moved.rowCount === 1) return true;
  if (from !== 0) return false;
  const made = await client.query(
    `INSERT INTO ${SCHEMA}.checkpoints (name, log_id, position) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [CHECKPOINT, logId, to],
  );
  return made.rowCount === 1;
}
