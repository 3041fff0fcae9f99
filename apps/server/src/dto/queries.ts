import {
  PAGE,
  optionalDate,
  optionalOneOf,
  optionalRevision,
  optionalText,
  query,
  requiredText,
} from './query.js';

/** For routes that take no parameters. */
export const noQuery = query({});
/** `POST /` */
export const runQuery = query({ session: optionalText });
/** `POST /get-messages`, `POST /clear-messages` */
export const sessionQuery = query({ session: requiredText });
/** `GET /runs` */
export const runsQuery = query({
  ...PAGE,
  session: optionalText,
  status: optionalOneOf('queued', 'running', 'completed', 'failed', 'cancelled'),
  from: optionalDate,
  to: optionalDate,
});
/** `GET /tasks` */
export const tasksQuery = query({
  ...PAGE,
  session: optionalText,
  status: optionalOneOf('scheduled', 'paused', 'finished', 'cancelled'),
});
/** `GET /runs/{run_id}/events`, `GET /sessions/{session}/events` */
export const eventsQuery = query({ ...PAGE, after: optionalRevision });
/** `GET /sessions`, `GET /api-keys` and other plain lists */
export const pageQuery = query(PAGE);
