import type { ProjectId, RunId, SessionId } from '#domain';
import { type RowOf, changing, table, text } from '#postgres';

/** What a caller says of a run, to be searched for and grouped by: no value can be read here. */
export const RUN_METADATA = table(
  'run_metadata',
  { key: ['run_id', 'key_token'] },
  {
    run: text<RunId>('run_id'),
    /** Of the key alone, and of key and value: see MetadataTokens. */
    keyToken: text('key_token'),
    token: changing(text('token')),
    project: text<ProjectId>('project'),
    session: text<SessionId>('session'),
  },
);

export type RunMetadataRow = RowOf<typeof RUN_METADATA>;
