import type { Revision, StreamName } from '#domain';
import { type RowOf, changing, integer, table, text } from '#postgres';

export const PARKED_STREAMS = table(
  'parked_streams',
  { key: ['stream'] },
  {
    stream: text<StreamName>('stream'),
    revision: changing(integer<Revision>('revision')),
    reason: changing(text('reason')),
  },
);

/** A stream that cannot be projected from `revision` on. */
export type ParkedStream = Readonly<RowOf<typeof PARKED_STREAMS>>;
