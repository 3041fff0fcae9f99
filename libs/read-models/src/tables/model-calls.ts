import type { Mode, ProjectId, Revision, RunId, SessionId } from '#domain';
import { type RowOf, changing, integer, table, text, whole } from '#postgres';
import { callSums } from './call-sums.js';

/** A model call, or of calls from before they had events of their own, and of an erased session, those of a run, day and model. */
export const MODEL_CALLS = table(
  'model_calls',
  { key: ['run_id', 'revision', 'part'] },
  {
    run: text<RunId>('run_id'),
    /** Of the event that told of it, and the place in it. */
    revision: integer<Revision>('revision'),
    part: integer('part'),
    /** ms since 1970 */
    time: whole('time'),
    project: text<ProjectId>('project'),
    /** Of the caller who started the run. */
    key: text('key'),
    session: text<SessionId>('session'),
    mode: text<Mode>('mode'),
    model: text('model'),
    sums: changing(callSums),
  },
);

export type ModelCallRow = RowOf<typeof MODEL_CALLS>;
