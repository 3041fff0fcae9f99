import { type Client, type ClientConfig, Query, type QueryArrayConfig, types } from 'pg';
import { type Clock, type EgressGuard } from '#platform';
import { newConnection } from '#postgres';
import {
  CallersDatabase,
  type DatabaseAccess,
  DatabaseRefusal,
  SQL_LIMITS,
  type SqlRequest,
  type SqlResult,
} from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { addressOf } from '../sql/open-address.js';
import { guarded } from '../sql/guarded.js';
import { agentError } from './callers-errors.js';
import { SCHEMA_QUERY } from './callers-schema.js';
import { faultOfRole, requireNoOwnFunctions } from './own-functions.js';
import { readStatement } from './read-statement.js';

const CURSOR = 'DECLARE annals_result NO SCROLL CURSOR FOR\n';

/**
 * A caller's PostgreSQL. What reads is parsed first, by PostgreSQL's own parser, and holds nothing but what may read; the
 * database says whether it has functions of its own behind the names. Then it is declared as a cursor in a read-only
 * transaction and fetched: PostgreSQL takes nothing there but a query without changes in it. The protocol with parameters
 * takes one statement and no more.
 */
export class CallersPostgres extends CallersDatabase {
  constructor(
    private readonly connection: Connection,
    private readonly access: DatabaseAccess,
    private readonly egress: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(request: SqlRequest, signal: AbortSignal): Promise<SqlResult> {
    if (request.mode === 'write')
      return this.connected(signal, (client) => write(client, request, this.connection));
    const names = await readStatement(request.sql);
    return this.reading(signal, request, (client) => requireNoOwnFunctions(client, names));
  }

  override async schema(signal: AbortSignal): Promise<string> {
    const { rows } = await this.reading(signal, { sql: SCHEMA_QUERY, values: [] });
    return rows.map(([line]) => String(line)).join('\n');
  }

  override roleFault(signal: AbortSignal): Promise<string | null> {
    return this.connected(signal, faultOfRole);
  }

  private reading(
    signal: AbortSignal,
    request: Pick<SqlRequest, 'sql' | 'values'>,
    check: (client: Client) => Promise<void> = () => Promise.resolve(),
  ): Promise<SqlResult> {
    const read = async (client: Client): Promise<SqlResult> => {
      await begin(client, 'READ ONLY', this.connection);
      const fault = this.access.needsPlainRole ? await faultOfRole(client) : null;
      if (fault !== null) throw new DatabaseRefusal(fault);
      await check(client);
      return fetched(client, request);
    };
    return this.connected(signal, read, CURSOR.length);
  }

  /** @param prefix characters that stand before the caller's own in what is sent */
  private async connected<T>(
    signal: AbortSignal,
    work: (client: Client) => Promise<T>,
    prefix = 0,
  ): Promise<T> {
    const address = await addressOf(this.connection, this.egress);
    const client = newConnection(configFor(this.connection, address));
    const watched = {
      bytesRead: () => streamOf(client).bytesRead,
      destroy: () => streamOf(client).destroy(),
    };
    try {
      return await guarded(watched, this.clock, signal, async () => {
        await client.connect();
        return work(client);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw agentError(error, this.connection, address, prefix);
    } finally {
      streamOf(client).destroy();
    }
  }
}

async function fetched(
  client: Client,
  { sql, values }: Pick<SqlRequest, 'sql' | 'values'>,
): Promise<SqlResult> {
  await client.query(extended(CURSOR + sql, values));
  const { rows, fields } = await client.query<unknown[]>({
    text: `FETCH FORWARD ${SQL_LIMITS.rows + 1} FROM annals_result`,
    rowMode: 'array',
  });
  return {
    columns: fields.map(({ name }) => name),
    rows: rows.slice(0, SQL_LIMITS.rows),
    isCut: rows.length > SQL_LIMITS.rows,
    changed: null,
  };
}

async function write(
  client: Client,
  { sql, values }: SqlRequest,
  connection: Connection,
): Promise<SqlResult> {
  await begin(client, 'READ WRITE', connection);
  const result = await firstRows(client, extended(sql, values));
  await client.query('COMMIT');
  return result;
}

async function begin(
  client: Client,
  access: 'READ ONLY' | 'READ WRITE',
  { schema }: Connection,
): Promise<void> {
  const { timeoutMs } = SQL_LIMITS;
  await client.query(
    `BEGIN ${access}; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL lock_timeout = ${timeoutMs};` +
      ' SET LOCAL standard_conforming_strings = on; SET LOCAL client_encoding = UTF8;' +
      (schema === undefined ? '' : ` SET LOCAL search_path = ${client.escapeIdentifier(schema)}`),
  );
}

/** Rows beyond the limit are not kept. */
function firstRows(client: Client, config: QueryArrayConfig): Promise<SqlResult> {
  const rows: unknown[][] = [];
  let count = 0;
  return new Promise((resolve, reject) => {
    const query = new Query<unknown[]>(config as never);
    query.on('row', (row: unknown) => {
      if ((count += 1) <= SQL_LIMITS.rows) rows.push(row as unknown[]);
    });
    query.on('error', reject);
    query.on('end', ({ fields, command, rowCount }) => {
      const changed = command === 'SELECT' ? null : rowCount;
      const columns = fields.map(({ name }) => name);
      resolve({ columns, rows, isCut: count > rows.length, changed });
    });
    client.query(query);
  });
}

/** With or without values: as one statement. */
const extended = (
  text: string,
  values: readonly unknown[],
): QueryArrayConfig & { queryMode: 'extended' } => ({
  text,
  values: [...values],
  rowMode: 'array',
  queryMode: 'extended',
});

const streamOf = (client: Client): { readonly bytesRead: number; destroy(): void } =>
  (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } }).connection.stream;

function configFor(connection: Connection, address: string): ClientConfig {
  const { host, port, user, password, database, tls, options, bindsChannel } = connection;
  return {
    host: address,
    port,
    user,
    // A function: of an empty text the driver would look for another in our environment.
    password: () => password,
    database,
    ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'verify', servername: host },
    connectionTimeoutMillis: SQL_LIMITS.connectMs,
    application_name: 'annals',
    ...(options === undefined ? {} : { options }),
    ...(bindsChannel === undefined ? {} : { enableChannelBinding: true }),
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  };
}

type TypeId = Parameters<typeof types.getTypeParser>[0];

/** Numbers, truth values and JSON are what they are; everything else stays as the database writes it. */
const PARSED: ReadonlySet<TypeId> = new Set([
  types.builtins.BOOL,
  types.builtins.INT2,
  types.builtins.INT4,
  types.builtins.FLOAT4,
  types.builtins.FLOAT8,
  types.builtins.JSON,
  types.builtins.JSONB,
]);

const parserOf = (oid: TypeId): unknown =>
  PARSED.has(oid) ? types.getTypeParser(oid, 'text') : (text: string) => text;
