export * as arrays from './tables/binary-arrays.js';
export {
  type ConnectionOptions,
  type ConnectionSettings,
  configOf,
  type DatabaseAddress,
  newConnection,
} from './connection.js';
export { EmbeddedPostgres } from './embedded/embedded-postgres.js';
export { errorCodeOf, isMissingTable, isOfConnection, isSqlState } from './error-codes.js';
export {
  type Checkpoint,
  type CheckpointMove,
  CheckpointMoved,
  CHECKPOINTS,
  PostgresCheckpoints,
} from './postgres-checkpoints.js';
export { PostgresPool, type PoolOptions, type TransactionClient } from './postgres-pool.js';
export * from './tables/fields.js';
export { raw, sql, type Sql, statement, type ValueOf } from './tables/sql.js';
export {
  type Fields,
  NOTHING_SEALED,
  readRow,
  type Row,
  type RowOf,
  type Table,
  table,
} from './tables/table.js';
export { assignments, createTable, namesOf, writeRows } from './tables/table-statements.js';
