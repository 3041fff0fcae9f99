export {
  type ConnectionOptions,
  type ConnectionSettings,
  configOf,
  type DatabaseAddress,
  newConnection,
} from './connection.js';
export { EmbeddedPostgres } from './embedded/embedded-postgres.js';
export { freePort } from './embedded/postgres-process.js';
export { errorCodeOf, isMissingTable, isOfConnection, isSqlState } from './error-codes.js';
export { PostgresPool, type PoolOptions } from './postgres-pool.js';
