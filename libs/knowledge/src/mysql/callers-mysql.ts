import { connect } from 'node:net';
import type { Connection as MysqlConnection, ConnectionOptions } from 'mysql2';
import { type Clock, type EgressGuard, ignoreErrorEvents } from '#platform';
import {
  CallersDatabase,
  type DatabaseAccess,
  DatabaseRefusal,
  SQL_LIMITS,
  type SqlRequest,
  type SqlResult,
  type SqlValue,
} from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { guarded } from '../sql/guarded.js';
import { addressOf } from '../sql/open-address.js';
import { agentError } from './errors.js';
import { type ReadStatement, readStatement } from './read-statement.js';
import { SCHEMA_QUERY } from './schema.js';

/** How strings and comments are read is settled, so that what was looked at is what is run. */
const SQL_MODE = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';
/** Two columns of a derived table have the same name: the statement is a query all the same. */
const DUPLICATE_COLUMN = 1060;

/**
 * A caller's MySQL or MariaDB. What reads is taken apart and written anew, so that nothing is read otherwise than it was
 * looked at, and calls nothing but what may read. It must be a derived table to the server, where nothing but a query may
 * stand (no INTO OUTFILE, no CALL), and runs in a read-only transaction.
 */
export class CallersMysql extends CallersDatabase {
  constructor(
    private readonly connection: Connection,
    private readonly access: DatabaseAccess,
    private readonly egress: EgressGuard,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run({ sql, values, mode }: SqlRequest, signal: AbortSignal): Promise<SqlResult> {
    if (mode === 'write') return this.connected(signal, (connection) => write(connection, sql, values));
    const statement = readStatement(sql);
    if (statement.placeholders !== values.length)
      throw new DatabaseRefusal('a ? stands where it could be read in two ways');
    return this.reading(signal, async (connection) => {
      await requireNoOwnFunctions(connection, statement);
      await requireQuery(connection, statement.sql);
      // Run as it is, and not as a derived table: of that the server would forget the order.
      await ask(connection, `SET SESSION sql_select_limit = ${SQL_LIMITS.rows + 1}`);
      return ask(connection, statement.sql, values);
    });
  }

  override async schema(signal: AbortSignal): Promise<string> {
    const { rows } = await this.reading(signal, (connection) => ask(connection, SCHEMA_QUERY));
    return rows.map(([line]) => String(line)).join('\n');
  }

  override roleFault(signal: AbortSignal): Promise<string | null> {
    return this.connected(signal, faultOfRole);
  }

  private reading<T>(signal: AbortSignal, work: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    return this.connected(signal, async (connection) => {
      const fault = this.access.needsPlainRole ? await faultOfRole(connection) : null;
      if (fault !== null) throw new DatabaseRefusal(fault);
      await begin(connection, 'READ ONLY');
      return work(connection);
    });
  }

  private async connected<T>(
    signal: AbortSignal,
    work: (connection: MysqlConnection) => Promise<T>,
  ): Promise<T> {
    const address = await addressOf(this.connection, this.egress);
    // Loaded for the first such database: most processes never need it.
    const { createConnection } = await import('mysql2');
    const connection = createConnection(optionsFor(this.connection, address));
    // It may be cut off while nothing is asked.
    ignoreErrorEvents(connection);
    const stream = streamOf(connection);
    const watched = { bytesRead: () => stream.bytesRead, destroy: () => connection.destroy() };
    try {
      return await guarded(watched, this.clock, signal, () => work(connection));
    } catch (error) {
      signal.throwIfAborted();
      throw agentError(error, this.connection, address);
    }
  }
}

async function begin(connection: MysqlConnection, access: 'READ ONLY' | 'READ WRITE'): Promise<void> {
  const limit = (await isMaria(connection))
    ? `max_statement_time = ${SQL_LIMITS.timeoutMs / 1000}`
    : `max_execution_time = ${SQL_LIMITS.timeoutMs}`;
  const lock = `innodb_lock_wait_timeout = ${SQL_LIMITS.timeoutMs / 1000}`;
  await ask(
    connection,
    `SET SESSION sql_mode = '${SQL_MODE}', character_set_client = utf8mb4, group_concat_max_len = 1000000, ${limit}, ${lock}`,
  );
  await ask(connection, `START TRANSACTION ${access}`);
}

async function write(
  connection: MysqlConnection,
  sql: string,
  values: readonly SqlValue[],
): Promise<SqlResult> {
  await begin(connection, 'READ WRITE');
  const result = await ask(connection, sql, values);
  await ask(connection, 'COMMIT');
  return result;
}

/** A stored function may have the name of a built-in one that this server does not know. @throws DatabaseRefusal */
async function requireNoOwnFunctions(connection: MysqlConnection, { called }: ReadStatement): Promise<void> {
  if (called.length === 0) return;
  const { rows } = await ask(
    connection,
    `SELECT routine_name FROM information_schema.routines
      WHERE routine_schema = DATABASE() AND LOWER(routine_name) IN (${called.map(() => '?').join(', ')}) LIMIT 1`,
    called,
  );
  const [row] = rows;
  if (row !== undefined)
    throw new DatabaseRefusal(
      `${String(row[0])} is a function of the database's own and may not be called here`,
    );
}

/** Privileges that reach files of the server and everything else on it, whatever the transaction. */
const OUTSIDE = /^(?:FILE|SUPER|ALL PRIVILEGES|ALL)$/;
const NO_SUCH_FUNCTION = 1305;

/** What makes the account unfit to read and nothing else, or null. */
async function faultOfRole(connection: MysqlConnection): Promise<string | null> {
  const grants = [...(await ask(connection, 'SHOW GRANTS')).rows, ...(await grantsOfRoles(connection))];
  for (const [grant] of grants) {
    const privileges = /^GRANT (.*?) ON \*\.\* TO /.exec(String(grant))?.[1] ?? '';
    const outside = privileges.split(', ').find((privilege) => OUTSIDE.test(privilege));
    if (outside !== undefined)
      return `the account has the privilege ${outside} on *.*, so that what it reads is not confined to the database`;
  }
  return null;
}

/** MySQL tells of roles when they are named; MariaDB does by itself. */
async function grantsOfRoles(connection: MysqlConnection): Promise<SqlResult['rows']> {
  if (await isMaria(connection)) return [];
  try {
    const [[roles] = []] = (await ask(connection, 'SELECT CURRENT_ROLE()')).rows;
    if (typeof roles !== 'string' || roles === 'NONE' || roles === '') return [];
    return (await ask(connection, `SHOW GRANTS FOR CURRENT_USER() USING ${roles}`)).rows;
  } catch (error) {
    // Before version 8 there are no roles.
    if ((error as { errno?: unknown }).errno === NO_SUCH_FUNCTION) return [];
    throw error;
  }
}

async function isMaria(connection: MysqlConnection): Promise<boolean> {
  const { rows } = await ask(connection, 'SELECT VERSION()');
  return /mariadb/i.test(String(rows[0]?.[0]));
}

/** Lets the server say whether it takes the statement for a query. Nothing is run. */
function requireQuery(connection: MysqlConnection, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.prepare(`SELECT * FROM (${query}) AS annals_result`, (error, statement) => {
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
