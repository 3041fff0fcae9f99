import { type Datastore, type DatastoreType, Problem, datastoreId, datastoreStream, notFound } from '#domain';
import type { Random, SecretBox } from '#platform';
import type { DatabaseAccess } from './callers-database.js';
import { type Page, type PageRequest, pageOf, placeOf } from './paging.js';
import type { Author, CreationKeys, CreationRequest } from './ports.js';
import { metaOf } from './ports.js';
import type { DatastoreRow, KnowledgeRows } from './postgres/knowledge-rows.js';
import type { Progress } from './progress.js';
import type { KnowledgeStreams } from './streams.js';

export interface NewDatastore {
  readonly name: string;
  readonly type: DatastoreType;
  /** Of a database. */
  readonly connectionString?: string;
  readonly isWritable?: boolean;
}

/** Whether a connection string may be used now. @throws Problem invalid_request, unprocessable */
export type CheckConnection = (connectionString: string, access: DatabaseAccess) => Promise<void>;

interface DatastoresPorts {
  readonly streams: KnowledgeStreams;
  readonly rows: KnowledgeRows;
  readonly progress: Progress;
  readonly keys: CreationKeys;
  readonly box: SecretBox;
  readonly random: Random;
  readonly check: CheckConnection;
}

/** What connection strings are sealed for. */
export const connectionContext = (id: string): string => `datastore:${id}:connection`;

/** Creates, shows and deletes datastores. */
export class Datastores {
  constructor(private readonly ports: DatastoresPorts) {}

  /** @throws Problem invalid_request, not_found, idempotency_mismatch; LogUnavailable */
  async create(asked: NewDatastore, by: Author, key?: string): Promise<Datastore> {
    const { keys, random, check } = this.ports;
    const request: CreationRequest | null =
      key === undefined
        ? null
        : { project: by.project, operation: 'create_datastore', key, payload: { ...asked } };
    const known = request === null ? null : await keys.findResource(request);
    if (known !== null && (await this.isKnown(known))) return this.require(by.project, known);
    if (asked.connectionString !== undefined)
      await check(asked.connectionString, {
        needsPlainRole: asked.isWritable !== true,
        project: by.project,
      });
    if (request === null) return this.append(datastoreId(random.hex(12)), asked, by);
    const id = await keys.useResource(request, metaOf(by), datastoreId(keys.idFor(request)));
    return this.append(id, asked, by);
  }

  /** @throws Problem not_found */
  async require(project: string, id: string): Promise<Datastore> {
    const datastore = await this.ports.streams.datastore(id);
    if (datastore === null || datastore.project !== project) throw notFound('the datastore');
    return datastore;
  }

  /** Newest first. @throws Problem invalid_request */
  async list(project: string, { limit, cursor }: PageRequest): Promise<Page<DatastoreRow>> {
    const before = placeOf(cursor);
    await this.ports.progress.caughtUp();
    return pageOf(await this.ports.rows.datastores(project, limit + 1, before), limit);
  }

  /** With its documents. @throws Problem not_found; LogUnavailable */
  async delete(id: string, by: Author): Promise<void> {
    const { streams, progress } = this.ports;
    const { revision } = await this.require(by.project, id);
    // A conflict is another's deletion.
    await streams.append(datastoreStream(id), [{ type: 'datastore_deleted', data: {} }], by, revision);
    await progress.caughtUp();
  }

  /** The key's stream may be there without the datastore's: then the datastore is made now. */
  private async isKnown(id: string): Promise<boolean> {
    return (await this.ports.streams.lastRevision(datastoreStream(id))) >= 0;
  }

  private async append(id: string, asked: NewDatastore, by: Author): Promise<Datastore> {
    const { streams, box } = this.ports;
    const { name, type, connectionString, isWritable } = asked;
    const data = {
      name,
      type,
      ...(connectionString === undefined
        ? {}
        : { connection: box.seal(connectionString, connectionContext(id)) }),
      ...(isWritable === true ? { is_writable: true as const } : {}),
    };
    // A conflict is the same request, answered at the same time.
    await streams.append(datastoreStream(id), [{ type: 'datastore_created', data }], by, 'no_stream');
    return this.require(by.project, id);
  }
}

/** @throws Problem unprocessable for a database */
export function requireDocuments(datastore: Datastore): void {
  if (datastore.type !== 'documents')
    throw new Problem('unprocessable', 'the datastore is a database; it holds no documents');
}
