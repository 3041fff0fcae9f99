import { PostgresCheckpoints } from '#postgres';

/** All tables of the read models stand in a schema of their own, so that a shared database is safe. */
export const SCHEMA = 'annals';

/** Where a rebuild fills its tables before it puts them in the place of those in use. */
export const REBUILD_SCHEMA = 'annals_rebuild';

/** The tables that the projection fills: those that a rebuild replaces. */
export const PROJECTED_TABLES = [
  'sessions',
  'runs',
  'messages',
  'api_keys',
  'tasks',
  'parked_streams',
  'checkpoints',
] as const;

/** How far the tables of a schema are. */
export const checkpointIn = (schema: string): PostgresCheckpoints =>
  new PostgresCheckpoints(schema, 'read-models');
