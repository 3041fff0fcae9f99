import type { DatastoreType } from '#domain';
import { type RowOf, table, text, whole } from '#postgres';

export const DATASTORES = table(
  'datastores',
  { key: ['id'] },
  {
    id: text('id'),
    project: text('project'),
    name: text('name'),
    type: text<DatastoreType>('type'),
    /** ms since 1970 */
    createdAt: whole('created_at'),
  },
);

export type DatastoreRow = RowOf<typeof DATASTORES>;
