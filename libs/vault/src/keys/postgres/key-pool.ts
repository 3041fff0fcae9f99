import { LogUnavailable } from '#event-log';
import { PostgresPool } from '#postgres';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Of the database that holds a key store: one connection, which stays open, so that it is there when the server has none
 * left to give. What fails there is LogUnavailable.
 */
export const openKeyPool = (url: string, onLost?: (error: Error) => void): PostgresPool =>
  new PostgresPool({
    address: { url },
    applicationName: 'annals keys',
    connections: 1,
    idleTimeoutMs: 0,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    settings: { synchronous_commit: 'on' },
    failure: (error) => new LogUnavailable('the key store does not answer', { cause: error }),
    ...(onLost === undefined ? {} : { onLost }),
  });
