import { DatabaseRefusal, NOT_REACHED, TOOK_TOO_LONG } from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { masked } from '../sql/masked.js';

interface MysqlError {
  readonly errno?: unknown;
  readonly sqlMessage?: unknown;
  readonly sqlState?: unknown;
}

/** Access denied, unknown database, too many connections, host blocked. */
const NOT_LET_IN = new Set([1040, 1044, 1045, 1049, 1129, 1130, 1203, 1226, 1698]);
/** MariaDB: max_statement_time; MySQL: max_execution_time; killed. */
const STOPPED = new Set([1969, 3024, 1317]);

/** What the agent is told: what helps it to ask better, and nothing of where the database is. */
export function agentError(error: unknown, connection: Connection, address: string): Error {
  if (error instanceof DatabaseRefusal) return error;
  const { errno, sqlMessage, sqlState } = error as MysqlError;
  if (typeof errno !== 'number' || typeof sqlMessage !== 'string' || sqlState === undefined)
    return new DatabaseRefusal(NOT_REACHED);
  if (STOPPED.has(errno)) return new DatabaseRefusal(TOOK_TOO_LONG);
  if (NOT_LET_IN.has(errno))
    return new DatabaseRefusal(`the database does not let the service in (${errno})`);
  return new DatabaseRefusal(masked(`${sqlMessage} (${errno})`, connection, address));
}
