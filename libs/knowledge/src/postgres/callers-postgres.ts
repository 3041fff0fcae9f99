import { Client, type ClientConfig, Query, type QueryArrayConfig, types } from 'pg';
import type { Clock, EgressGuard } from '#platform';
import {
  CallersDatabase,
  DatabaseSays,
  SQL_LIMITS,
  type SqlRequest,
  type SqlResult,
} from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { addressOf } from '../sql/open-address.js';
import { guarded } from '../sql/guarded.js';
import { outsideFunctionIn } from '../sql/outside-functions.js';
import { agentError } from './callers-errors.js';
import { SCHEMA_QUERY } from './callers-schema.js';

const CURSOR = 'DECLARE annals_result NO SCROLL CURSOR FOR\n';

/**
 * A caller's PostgreSQL. What reads is declared as a cursor and fetched: PostgreSQL takes nothing there but a query
 * without changes in it, where a read-only transaction alone would let a COPY start a program. The protocol with
 * parameters takes one statement and no more.
 */
export class CallersPostgres extends CallersDatabase {
  constructor(
    private readonly connection: Connection,
    private readonly egress: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(request: SqlRequest, signal: AbortSignal): Promise<SqlResult> {
    const address = await addressOf(this.connection, this.egress);
    const client = new Client(configFor(this.connection, address));
    // It may be cut off while nothing is asked.
    client.on('error', () => undefined);
    const watched = {
      bytesRead: () => streamOf(client).bytesRead,
      destroy: () => streamOf(client).destroy(),
    };
    try {
      return await guarded(watched, this.clock, signal, async () => {
        await client.connect();
        return request.mode === 'read' ? read(client, request) : write(client, request);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw agentError(error, this.connection, address, request.mode === 'read' ? CURSOR.length : 0);
    } finally {
      streamOf(client).destroy();
    }
  }

  override async schema(signal: AbortSignal): Promise<string> {
    const { rows } = await this.run({ sql: SCHEMA_QUERY, values: [], mode: 'read' }, signal);
    return rows.map(([line]) => String(line)).join('\n');
  }
}

async function read(client: Client, { sql, values }: SqlRequest): Promise<SqlResult> {
  const outside = outsideFunctionIn(sql, 'postgres');
  if (outside !== null) throw new DatabaseSays(`${outside} may not be called here`);
  await begin(client, 'READ ONLY');
  await client.query(extended(CURSOR + sql, values));
  const fetched = await client.query<unknown[]>({
    text: `FETCH FORWARD ${SQL_LIMITS.rows + 1} FROM annals_result`,
    rowMode: 'array',
  });
  const { rows, fields } = fetched;
  return {
    columns: fields.map(({ name }) => name),
    rows: rows.slice(0, SQL_LIMITS.rows),
    isCut: rows.length > SQL_LIMITS.rows,
    changed: null,
  };
}

async function write(client: Client, { sql, values }: SqlRequest): Promise<SqlResult> {
  await begin(client, 'READ WRITE');
  const result = await firstRows(client, extended(sql, values));
  await client.query('COMMIT');
  return result;
}

async function begin(client: Client, access: 'READ ONLY' | 'READ WRITE'): Promise<void> {
  const { timeoutMs } = SQL_LIMITS;
  await client.query(
    `BEGIN ${access}; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL lock_timeout = ${timeoutMs};` +
      ' SET LOCAL standard_conforming_strings = on',
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

function configFor({ host, port, user, password, database, tls }: Connection, address: string): ClientConfig {
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
