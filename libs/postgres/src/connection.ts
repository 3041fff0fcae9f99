import { Client, type ClientConfig } from 'pg';
import { ignoreErrorEvents } from '#platform';

/** Where a database is, and as whom it is entered. */
export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The same as one text: `postgres://user:password@host:port/database`. */
export interface DatabaseUrl {
  readonly url: string;
}

export type DatabaseAddress = ConnectionSettings | DatabaseUrl;

export interface ConnectionOptions {
  readonly address: DatabaseAddress;
  /** As `pg_stat_activity` shows it. */
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  /** A statement fails after so long, whatever the server does: one that hangs must not hang us. */
  readonly statementTimeoutMs: number;
  /** The server ends such a statement, too. */
  readonly isEndedByServer?: boolean;
  /** Settings of the session, whatever the server's defaults are; e.g. `synchronous_commit`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A little under our own, so that the server's answer comes in time. */
export const serverTimeoutMs = (timeoutMs: number): number => Math.max(1, Math.floor(timeoutMs * 0.95));

/** As the driver takes it. */
export function configOf({ address, settings = {}, ...options }: ConnectionOptions): ClientConfig {
  const { applicationName, connectTimeoutMs, statementTimeoutMs, isEndedByServer = false } = options;
  const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...('url' in address ? { connectionString: address.url } : address),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    ...(isEndedByServer ? { statement_timeout: serverTimeoutMs(statementTimeoutMs) } : {}),
    ...(set.length === 0 ? {} : { options: set.join(' ') }),
    keepAlive: true,
  };
}

/** A connection outside any pool, not yet connected. What becomes of it while nothing is asked ends no process. */
export function newConnection(config: ClientConfig): Client {
  const client = new Client(config);
  ignoreErrorEvents(client);
  return client;
}
