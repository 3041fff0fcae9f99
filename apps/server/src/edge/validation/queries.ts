import {
  PAGE,
  optionalDate,
  optionalOneOf,
  optionalRevision,
  optionalId,
  optionalToken,
  query,
  requiredId,
} from './query.js';

/** For routes that take no parameters. */
export const noQuery = query({});
/** `POST /` */
export const runQuery = query({ session: optionalId });
/** `POST /get-messages`, `POST /clear-messages` */
export const sessionQuery = query({ session: requiredId });
/** `GET /runs` */
export const runsQuery = query({
  ...PAGE,
  session: optionalId,
  status: optionalOneOf('queued', 'running', 'completed', 'failed', 'cancelled'),
  from: optionalDate,
  to: optionalDate,
});
/** `GET /tasks` */
export const tasksQuery = query({
  ...PAGE,
  session: optionalId,
  status: optionalOneOf('scheduled', 'paused', 'finished', 'cancelled'),
});
/** `GET /runs/{run_id}/events`, `GET /sessions/{session}/events` */
export const eventsQuery = query({ ...PAGE, after: optionalRevision, token: optionalToken });
/** `DELETE /api-keys/{id}` */
export const revokeQuery = query({ tasks: optionalOneOf('keep', 'pause') });
/** `GET /sessions`, `GET /api-keys` and other plain lists */
export const pageQuery = query(PAGE);
