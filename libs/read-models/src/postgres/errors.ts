import { errorCodeOf, isOfConnection, isSqlState } from '#postgres';
import { ReadModelsUnavailable } from '../unavailable.js';

/**
 * What an error of the database becomes outside. Its own message is told only where it cannot hold what a caller or the
 * operator keeps secret: neither addresses and users (of connections) nor values (of data).
 */
export function translated(error: unknown): Error {
  if (error instanceof ReadModelsUnavailable) return error;
  const code = errorCodeOf(error);
  if (code === null || !isSqlState(code) || isOfConnection(code))
    return new ReadModelsUnavailable(
      REFUSALS[code ?? ''] ?? `the database does not answer (${code ?? nameOf(error)})`,
      isStatementTimeout(error, code),
    );
  return new DatabaseFault(
    isProgram(code) ? `${code}: ${messageOf(error)}` : `the database refused (${code})`,
    code,
  );
}

/** A statement was refused: a bug, or data that the tables cannot hold. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  '28000': 'the database does not let the user in (28000)',
  '28P01': 'the database does not accept the user or the password (28P01)',
  '3D000': 'the database is not there on its server (3D000)',
  ENOTFOUND: "the database's host has no address (ENOTFOUND)",
};

/** The server ended the statement, or the driver did not wait any longer for it. */
const isStatementTimeout = (error: unknown, code: string | null): boolean =>
  code === '57014' || (code === null && messageOf(error) === 'Query read timeout');

/** Syntax or access rule: what the message names is ours. */
const isProgram = (code: string): boolean => code.startsWith('42');

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Of errors without a code: what kind of trouble it was, without names of hosts. */
function nameOf(error: unknown): string {
  const known = /timeout|terminated|closed|ended/i.exec(messageOf(error))?.[0];
  return known === undefined ? 'no connection' : `connection ${known.toLowerCase()}`;
}

/** A password that is not the data's, a database that is missing, files that are missing or damaged. */
const UNUSABLE: ReadonlySet<string> = new Set([
  '28P01',
  '28000',
  '3D000',
  '58P01',
  'XX000',
  'XX001',
  'XX002',
]);

/** Whether no later try can do better with the data that the server has. */
export const isDataUnusable = (error: unknown): boolean => UNUSABLE.has(errorCodeOf(error) ?? '');
