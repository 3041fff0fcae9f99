import {
  type Datastore,
  type DatastoreQuery,
  type DatastoreRef,
  Problem,
  ToolNames,
  invalid,
  type ProjectId,
} from '#domain';
import { isErasure } from '#event-log';
import type { ConnectDatabase } from './callers-database.js';
import { type Connection, readConnection } from './connection-string.js';
import { type OpenDatabase, queryTool, schemaTool, sqlTool } from './database-tools.js';
import type { DatastoreKeys } from './erasure/datastore-keys.js';
import type { Search } from './search.js';
import { searchTool } from './search-tool.js';
import { MAX_PLACEHOLDERS, hasTooManyMarks, hasTooManyPlaceholders } from './sql/statement.js';
import type { KnowledgeStreams } from './streams.js';
import type { KnowledgeTool } from './tool.js';

/** What a run's request says of datastores. */
export interface KnowledgeRequest {
  readonly project: ProjectId;
  readonly datastores: readonly DatastoreRef[];
  readonly queries: readonly DatastoreQuery[];
}

/** Provides a run's tools for the datastores that its request names. */
export class KnowledgeTools {
  constructor(
    private readonly ports: {
      readonly streams: KnowledgeStreams;
      readonly search: Search;
      readonly datastoreKeys: DatastoreKeys;
      readonly connect: ConnectDatabase;
    },
  ) {}

  /** Before a run is accepted. @throws Problem not_found, unprocessable, invalid_request */
  async check({ project, datastores, queries }: KnowledgeRequest): Promise<void> {
    const databases: Datastore[] = [];
    for (const [index, { id }] of datastores.entries()) {
      const datastore = await this.ports.streams.datastore(id);
      if (datastore === null || datastore.project !== project)
        throw new Problem('not_found', `datastores[${index}].id: the datastore does not exist`);
      if (datastore.type === 'database') databases.push(datastore);
    }
    if (queries.length > 0 && databases.length === 0)
      throw new Problem('unprocessable', 'queries: none of the datastores is a database', {
        errors: invalid('queries', 'need a database among the datastores').more.errors ?? [],
      });
    for (const [index, { query }] of queries.entries())
      if (hasTooManyMarks(query)) await this.requireFew(query, `queries[${index}].query`, databases);
  }

  /** What a placeholder is depends on the kind of database. @throws Problem invalid_request */
  private async requireFew(query: string, path: string, databases: readonly Datastore[]): Promise<void> {
    for (const datastore of databases) {
      const connection = await this.connectionOf(datastore);
      if (connection !== null && hasTooManyPlaceholders(query, connection.kind))
        throw invalid(path, `must have at most ${MAX_PLACEHOLDERS} placeholders`);
    }
  }

  /**
   * The tools, under the same names each time. Datastores that were deleted since the run was accepted give none.
   * @param reserved names that others have
   */
  async open(
    { project, datastores, queries }: KnowledgeRequest,
    reserved: Iterable<string> = [],
  ): Promise<readonly KnowledgeTool[]> {
    const names = new ToolNames();
    for (const name of reserved) names.give(name);
    const queryNames = queries.map(({ name }) => names.give(name));
    const labels = new Labels();
    const databases: OpenDatabase[] = [];
    const tools: KnowledgeTool[] = [];
    for (const ref of datastores) {
      const label = labels.give(ref.name);
      const datastore = await this.ports.streams.datastore(ref.id);
      if (datastore === null || datastore.project !== project) continue;
      if (datastore.type === 'documents') {
        const exists = async () => (await this.ports.streams.datastore(ref.id)) !== null;
        tools.push(
          searchTool(names.give(`search_${ref.name}`), { id: ref.id, label, exists }, this.ports.search),
        );
        continue;
      }
      const database = await this.openDatabase(datastore, label);
      if (database === null) continue;
      databases.push(database);
      tools.push(schemaTool(names.give(`${ref.name}_schema`), database));
      tools.push(sqlTool(names.give(`${ref.name}_sql`), database));
    }
    if (databases.length === 0) return tools;
    const actions = queries.map((query, i) => queryTool(queryNames[i] ?? query.name, query, databases));
    return [...actions, ...tools];
  }

  /** null: the datastore is deleted at this moment. @throws LogUnavailable */
  private async connectionOf({ id, connection }: Datastore): Promise<Connection | null> {
    try {
      return readConnection(await this.ports.datastoreKeys.open(id, connection ?? ''));
    } catch (error) {
      if (isErasure(error)) return null;
      throw error;
    }
  }

  private async openDatabase(datastore: Datastore, label: string): Promise<OpenDatabase | null> {
    const { streams, connect } = this.ports;
    const { id, isWritable, project } = datastore;
    const opened = await this.connectionOf(datastore);
    if (opened === null) return null;
    return {
      label,
      kind: opened.kind,
      isWritable,
      connect: async () =>
        (await streams.datastore(id)) === null
          ? null
          : connect(opened, { needsPlainRole: !isWritable, project }),
    };
  }
}

/** The request's names, told apart where two are the same. */
class Labels {
  private readonly taken = new Set<string>();

  give(name: string): string {
    let label = name;
    for (let n = 2; this.taken.has(label); n++) label = `${name} (${n})`;
    this.taken.add(label);
    return label;
  }
}
