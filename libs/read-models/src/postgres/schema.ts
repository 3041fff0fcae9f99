import { CHECKPOINTS, PostgresCheckpoints } from '#postgres';
import { ACTIONS } from '../tables/actions.js';
import { API_KEYS } from '../tables/api-keys.js';
import { CALLBACKS } from '../tables/callbacks.js';
import { MESSAGES } from '../tables/messages.js';
import { MODEL_CALLS } from '../tables/model-calls.js';
import { PARKED_STREAMS } from '../tables/parked-streams.js';
import { RUN_METADATA } from '../tables/run-metadata.js';
import { RUNS } from '../tables/runs.js';
import { SESSIONS } from '../tables/sessions.js';
import { TASKS } from '../tables/tasks.js';

/** All tables of the read models stand in a schema of their own, so that a shared database is safe. */
export const SCHEMA = 'annals';

/** Where a rebuild fills its tables before it puts them in the place of those in use. */
export const REBUILD_SCHEMA = 'annals_rebuild';

/** The tables that the projection fills: those that a rebuild replaces. */
export const PROJECTED_TABLES: readonly string[] = [
  SESSIONS,
  RUNS,
  MESSAGES,
  API_KEYS,
  TASKS,
  ACTIONS,
  MODEL_CALLS,
  CALLBACKS,
  RUN_METADATA,
  PARKED_STREAMS,
  CHECKPOINTS,
].map(({ name }) => name);

/** How far the tables of a schema are. */
export const checkpointIn = (schema: string): PostgresCheckpoints =>
  new PostgresCheckpoints(schema, 'read-models');
