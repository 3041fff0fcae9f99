import { createHash } from 'node:crypto';
import { type ActionId, type RunId, actionIdIn, sessionOfRun } from '../ids.js';

/** The id of a run's n-th action (from 0): whoever asks again asks under the same. */
export function actionId(run: RunId, ordinal: number): ActionId {
  const session = sessionOfRun(run) ?? '';
  const digest = createHash('sha256')
    .update(JSON.stringify(['action', run, ordinal]))
    .digest('hex');
  return actionIdIn(session, digest.slice(0, 24));
}
