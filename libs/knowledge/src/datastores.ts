import {
  type Datastore,
  type DatastoreType,
  type ListPage,
  type PageRequest,
  Problem,
  creationCursors,
  datastoreId,
  datastoreStream,
  notFound,
  pageOf,
  type ProjectId,
} from '#domain';
import { ContentErased, type Freshness } from '#event-log';
import type { Random } from '#platform';
import type { DatabaseAccess } from './callers-database.js';
import type { DatastoreKeys } from './erasure/datastore-keys.js';
import type { Deletions } from './erasure/deletions.js';
import { sayDatastoreAgain } from './erasure/say-again.js';
import type { Author, CreationKeys, CreationRequest } from './ports.js';
import { metaOf } from './ports.js';
import type { DatastoreRow, KnowledgeRows } from './postgres/knowledge-rows.js';
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
  readonly freshness: Freshness;
  readonly keys: CreationKeys;
  readonly datastoreKeys: DatastoreKeys;
  readonly deletions: Deletions;
  readonly random: Random;
  readonly check: CheckConnection;
}

const CURSORS = creationCursors('datastores');

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
  async require(project: ProjectId, id: string): Promise<Datastore> {
    const datastore = await this.ports.streams.datastore(id);
    if (datastore === null || datastore.project !== project) throw notFound('the datastore');
    return datastore;
  }

  /** Newest first. @throws Problem invalid_request */
  async list(project: ProjectId, { limit, cursor }: PageRequest): Promise<ListPage<DatastoreRow>> {
    const before = CURSORS.decode(cursor, { project });
    await this.ports.freshness.caughtUp();
    const found = await this.ports.rows.datastores(project, limit + 1, before);
    return pageOf(found, limit, (last) => CURSORS.encode(last, { project }));
  }

  /**
   * With its documents: nothing of them can be read any more, for their keys are destroyed.
   * @throws Problem not_found; LogUnavailable: once it is on the log, who follows it does the rest
   */
  async delete(id: string, by: Author): Promise<void> {
    const { streams, deletions, freshness } = this.ports;
    let datastore: Datastore | null = await this.require(by.project, id);
    while (datastore !== null) {
      const { keys, revision } = datastore;
      const deleted = { type: 'datastore_deleted', data: { keys } } as const;
      const { kind } = await streams.append(datastoreStream(id), [deleted], by, revision);
      if (kind === 'appended') await deletions.ofDatastore(keys);
      // A conflict is another's deletion, or a key that it got meanwhile.
      datastore = kind === 'appended' ? null : await streams.datastore(id);
    }
    await freshness.caughtUp();
  }

  /** Id of a key for a document in it. @throws Problem not_found, LogUnavailable */
  async drawBelow(project: ProjectId, id: string): Promise<string> {
    for (let tried: string | null = null; ;) {
      const datastore = await this.require(project, id);
      const parent = datastore.keys.at(-1) ?? (await sayDatastoreAgain(datastore, this.ports));
      try {
        if (parent !== null) return await this.ports.datastoreKeys.drawBelow(parent);
      } catch (error) {
        if (!(error instanceof ContentErased)) throw error;
        // It is deleted at this moment, unless it gets another key.
        if (parent === tried) throw notFound('the datastore');
        tried = parent;
      }
    }
  }

  /** The key's stream may be there without the datastore's: then the datastore is made now. */
  private async isKnown(id: string): Promise<boolean> {
    return (await this.ports.streams.lastRevision(datastoreStream(id))) >= 0;
  }

  private async append(id: string, asked: NewDatastore, by: Author): Promise<Datastore> {
    const { streams, datastoreKeys } = this.ports;
    const { name, type, connectionString, isWritable } = asked;
    const key = await datastoreKeys.draw();
    const data = {
      name,
      type,
      ...(connectionString === undefined
        ? {}
        : { connection: await datastoreKeys.seal(id, key, connectionString) }),
      ...(isWritable === true ? { is_writable: true as const } : {}),
    };
    // A conflict is the same request, answered at the same time.
    await streams.append(datastoreStream(id), [{ type: 'datastore_created', data }], by, 'no_stream', key);
    return this.require(by.project, id);
  }
}

/** @throws Problem unprocessable for a database */
export function requireDocuments(datastore: Datastore): void {
  if (datastore.type !== 'documents')
    throw new Problem('unprocessable', 'the datastore is a database; it holds no documents');
}
