import { DatabaseRefusal, NOT_REACHED, TOOK_TOO_LONG } from '../callers-database.js';
import type { Connection } from '../connection-string.js';
import { masked } from '../sql/masked.js';

interface PostgresError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
  readonly position?: unknown;
}

const QUERY_CANCELED = '57014';
const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);

/** What the agent is told: what helps it to ask better, and nothing of where the database is. */
export function agentError(error: unknown, connection: Connection, address: string, prefix: number): Error {
  if (error instanceof DatabaseRefusal) return error;
  const { code, message, hint, position } = error as PostgresError;
  if (code === QUERY_CANCELED) return new DatabaseRefusal(TOOK_TOO_LONG);
  if (typeof code !== 'string' || !isSqlState(code)) return new DatabaseRefusal(NOT_REACHED);
  if (/^(28|3D)/.test(code)) return new DatabaseRefusal(`the database does not let the service in (${code})`);
  if (/^(08|53|57|58)/.test(code))
    return new DatabaseRefusal(`the database has a problem of its own (${code})`);
  const at = Number(position ?? 0) - prefix;
  const parts = [
    String(message),
    at > 0 ? `at character ${at}` : '',
    typeof hint === 'string' ? `hint: ${hint}` : '',
    `(${code})`,
  ];
  return new DatabaseRefusal(masked(parts.filter((part) => part !== '').join(' '), connection, address));
}
