import type { Revision, SessionId } from '#domain';
import { bytes, integer, table, text } from '#postgres';

/** What a commit adds to a session, as `message-parts.ts` says. Rows of older versions have a type, and hold one message. */
export const MESSAGES = table(
  'messages',
  { key: ['session', 'revision'] },
  {
    session: text<SessionId>('session'),
    revision: integer<Revision>('revision'),
    contents: bytes('contents'),
  },
);
