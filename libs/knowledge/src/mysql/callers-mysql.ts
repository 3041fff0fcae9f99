import { connect } from 'node:net';
import type { Connection as MysqlConnection, ConnectionOptions } from 'mysql2';
import type { Clock, EgressGuard } from '#platform';
import {
  CallersDatabase,
  DatabaseSays,
  SQL_LIMITS,
  type SqlRequest,
  type SqlResult,
  type SqlValue,
} from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { guarded } from '../sql/guarded.js';
import { outsideFunctionIn } from '../sql/outside-functions.js';
import { addressOf } from '../sql/open-address.js';
import { enclosureFault, withoutEnd } from '../sql/statement.js';
import { agentError } from './errors.js';
import { SCHEMA_QUERY } from './schema.js';

/** How strings and comments are read is settled, so that what was looked at is what is run. */
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';
/** Two columns of a derived table have the same name: the statement is a query all the same. */
const DUPLICATE_COLUMN = 1060;

/**
 * A caller's MySQL or MariaDB. What reads must be a derived table to the server, where nothing but a query may stand (no
 * INTO OUTFILE, no CALL), and runs in a read-only transaction, where stored functions cannot write either.
 */
export class CallersMysql extends CallersDatabase {
  constructor(
    private readonly connection: Connection,
    private readonly egress: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(request: SqlRequest, signal: AbortSignal): Promise<SqlResult> {
    const address = await addressOf(this.connection, this.egress);
    // Loaded for the first such database: most processes never need it.
    const { createConnection } = await import('mysql2');
    const connection = createConnection(optionsFor(this.connection, address));
    // It may be cut off while nothing is asked.
    connection.on('error', () => undefined);
    const stream = streamOf(connection);
    const watched = { bytesRead: () => stream.bytesRead, destroy: () => connection.destroy() };
    try {
      return await guarded(watched, this.clock, signal, async () => {
        await begin(connection, request.mode);
        return request.mode === 'read' ? read(connection, request) : write(connection, request);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw agentError(error, this.connection, address);
    }
  }

  override async schema(signal: AbortSignal): Promise<string> {
    const { rows } = await this.run({ sql: SCHEMA_QUERY, values: [], mode: 'read' }, signal);
    return rows.map(([line]) => String(line)).join('\n');
  }
}

async function begin(connection: MysqlConnection, mode: SqlRequest['mode']): Promise<void> {
  const { rows } = await ask(connection, 'SELECT VERSION()');
  const isMaria = /mariadb/i.test(String(rows[0]?.[0]));
  const limit = isMaria
    ? `max_statement_time = ${SQL_LIMITS.timeoutMs / 1000}`
    : `max_execution_time = ${SQL_LIMITS.timeoutMs}`;
  const lock = `innodb_lock_wait_timeout = ${SQL_LIMITS.timeoutMs / 1000}`;
  await ask(
    connection,
    `SET SESSION sql_mode = '${SQL_MODE}', group_concat_max_len = 1000000, ${limit}, ${lock}`,
  );
  await ask(connection, `START TRANSACTION ${mode === 'read' ? 'READ ONLY' : 'READ WRITE'}`);
}

async function read(connection: MysqlConnection, { sql, values }: SqlRequest): Promise<SqlResult> {
  const fault = enclosureFault(sql);
  if (fault !== null) throw new DatabaseSays(fault);
  const outside = outsideFunctionIn(sql, 'mysql');
  if (outside !== null) throw new DatabaseSays(`${outside} may not be called here`);
  const query = withoutEnd(sql);
  await requireQuery(connection, query);
  // Run as it is, and not as a derived table: of that the server would forget the order.
  await ask(connection, `SET SESSION sql_select_limit = ${SQL_LIMITS.rows + 1}`);
  return ask(connection, query, values);
}

async function write(connection: MysqlConnection, { sql, values }: SqlRequest): Promise<SqlResult> {
  const result = await ask(connection, sql, values);
  await ask(connection, 'COMMIT');
  return result;
}

/** Lets the server say whether it takes the statement for a query. Nothing is run. */
function requireQuery(connection: MysqlConnection, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The line end closes a comment that has none.
    connection.prepare(`SELECT * FROM (${query}\n) AS annals_result`, (error, statement) => {
      if (error !== null && error.errno !== DUPLICATE_COLUMN) return reject(error);
      if (error === null) statement.close();
      resolve();
    });
  });
}

/** As a prepared statement: the server takes one, and the values never become text of it. */
function ask(connection: MysqlConnection, sql: string, values: readonly SqlValue[] = []): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = [];
    let columns: string[] = [];
    let count = 0;
    let changed: number | null = null;
    const command = connection.execute({ sql, rowsAsArray: true, values: values.map(parameter) });
    command.on('error', reject);
    command.on('fields', (fields: readonly { name: string }[] | undefined) => {
      columns = (fields ?? []).map(({ name }) => name);
    });
    command.on('result', (row: unknown) => {
      if (!Array.isArray(row)) ({ affectedRows: changed } = row as { affectedRows: number });
      else if ((count += 1) <= SQL_LIMITS.rows) rows.push(row.map(cell));
    });
    command.on('end', () => resolve({ columns, rows, isCut: count > rows.length, changed }));
  });
}

/** Whole numbers as text: the driver would send a floating-point number, which LIMIT does not take. */
const parameter = (value: SqlValue): SqlValue =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;

const cell = (value: unknown): unknown =>
  Buffer.isBuffer(value) ? `0x${value.toString('hex', 0, 500)}` : value;

const streamOf = (connection: MysqlConnection): { readonly bytesRead: number } =>
  (connection as unknown as { stream: { bytesRead: number } }).stream;

const optionsFor = (
  { host, port, user, password, database, tls }: Connection,
  address: string,
): ConnectionOptions => ({
  // Its name is for the certificate; the connection goes to the address that was looked at.
  host,
  stream: () => connect({ host: address, port }),
  user,
  password,
  ...(database === '' ? {} : { database }),
  ...(tls === 'off'
    ? {}
    : { ssl: { rejectUnauthorized: tls === 'verify', verifyIdentity: tls === 'verify' } }),
  connectTimeout: SQL_LIMITS.connectMs,
  charset: 'utf8mb4',
  multipleStatements: false,
  // A server may otherwise ask for a file of ours.
  flags: ['-LOCAL_FILES'],
  dateStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
});
