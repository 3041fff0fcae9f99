import type { Revision, SessionId } from '../ids.js';

/** An event of a session's line: of its own stream, or of a session that it was forked from. */
export interface LinePlace {
  /** Absent: the session itself. */
  readonly session?: SessionId;
  readonly revision: Revision;
}

/** `REVISION`, or `SESSION@REVISION` where it lies in what the session was forked from. */
export const placeText = ({ session, revision }: LinePlace): string =>
  session === undefined ? String(revision) : `${session}@${revision}`;

/** null: it is no such text. */
export function parsePlace(text: string): LinePlace | null {
  const at = text.lastIndexOf('@');
  const digits = text.slice(at + 1);
  if (!/^\d{1,15}$/.test(digits) || at === 0) return null;
  const revision = Number(digits);
  return at < 0 ? { revision } : { session: text.slice(0, at), revision };
}
