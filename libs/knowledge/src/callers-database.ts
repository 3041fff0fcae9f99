import type { ProjectId } from '#domain';
import type { Connection } from './connection-string.js';

export type SqlValue = string | number | boolean | null;

export interface SqlRequest {
  /** One statement, as the database takes it. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** `write`: in a transaction of its own that is committed. */
  readonly mode: 'read' | 'write';
}

export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** There was more. */
  readonly isCut: boolean;
  /** Rows that were changed; null: it is not that kind of statement. */
  readonly changed: number | null;
}

export const SQL_LIMITS = {
  timeoutMs: 15_000,
  connectMs: 10_000,
  /** Rows of a result; a longer one is cut. */
  rows: 1_000,
  /** Of a result as it comes. */
  bytes: 32 * 1024 * 1024,
};

/** The database did not do it. The message is for the agent, and holds neither host, user nor password. */
export class DatabaseRefusal extends Error {
  override readonly name = 'DatabaseRefusal';
}

/**
 * Port: a caller's external database (MySQL, PostgreSQL). Each call has a connection of its own, so that no session
 * state reaches the next.
 */
export abstract class CallersDatabase {
  /** @throws DatabaseRefusal, or the signal's reason */
  abstract run(request: SqlRequest, signal: AbortSignal): Promise<SqlResult>;
  /** Tables with their columns and keys, as text. @throws DatabaseRefusal */
  abstract schema(signal: AbortSignal): Promise<string>;
  /**
   * What makes the role unfit to read and nothing else (it reaches files and programs of the server), or null.
   * @throws DatabaseRefusal where the database does not say; the signal's reason
   */
  abstract roleFault(signal: AbortSignal): Promise<string | null>;
}

/** What the caller allowed when the datastore was created. */
export interface DatabaseAccess {
  /** Nothing may write: a role that reaches beyond the database is refused. */
  readonly needsPlainRole: boolean;
  readonly project: ProjectId;
}

export type ConnectDatabase = (connection: Connection, access: DatabaseAccess) => CallersDatabase;

export const TOOK_TOO_LONG = `the query took longer than ${SQL_LIMITS.timeoutMs / 1000} s and was stopped`;
export const TOO_LARGE = 'the result is too large; ask for fewer rows or columns';
export const NOT_REACHED = 'the database cannot be reached';
