import {
  type LinePlace,
  type Revision,
  type SessionId,
  forkOf,
  knownSessionEvent,
  sessionStream,
} from '#domain';
import { type EventLog, eventAt } from '#event-log';

/** What a session of a line has of it: its events from one to another. */
export interface LinePart {
  readonly session: SessionId;
  readonly from: Revision;
  readonly upTo: Revision;
}

/** The parts of a session's line from a place in it on, the oldest first. What was erased of it is no part. */
export async function partsOfLine(
  log: EventLog,
  session: SessionId,
  { session: first = session, revision }: LinePlace,
): Promise<readonly LinePart[]> {
  const parts: LinePart[] = [{ session, from: 0, upTo: Infinity }];
  while (parts[0]!.session !== first) {
    const parent = await parentOf(log, parts[0]!.session);
    // What was before is erased.
    if (parent === null) return parts;
    parts.unshift({ session: parent.session, from: 0, upTo: parent.at });
  }
  const [oldest, ...rest] = parts as [LinePart, ...LinePart[]];
  return [{ ...oldest, from: Math.max(0, revision) }, ...rest];
}

/**
 * The same parts from a place on, if that lies in them; else all of them: what is before them, or of another line, is not
 * to be read. @param own the session whose line it is
 */
export function partsFrom(parts: readonly LinePart[], place: LinePlace, own: SessionId): readonly LinePart[] {
  const { session = own, revision } = place;
  const at = parts.findIndex((part) => part.session === session);
  const [first, ...rest] = parts.slice(Math.max(0, at));
  if (at < 0 || first === undefined) return parts;
  return [{ ...first, from: Math.max(first.from, revision) }, ...rest];
}

async function parentOf(log: EventLog, session: SessionId) {
  const first = await eventAt(log, sessionStream(session), 0);
  const opened = first === undefined ? null : knownSessionEvent(first);
  return opened?.type === 'session_opened' ? (forkOf(opened.data)?.forked_from ?? null) : null;
}
