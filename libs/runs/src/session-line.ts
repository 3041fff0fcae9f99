import {
  type RecordedSessionEvent,
  type Revision,
  type SessionId,
  forkOf,
  inLine,
  knownSessionEvent,
  sessionStream,
} from '#domain';
import { ContentErased, type EventLog, type RecordedEvent } from '#event-log';

/** An event of a line, and what it takes of memory. */
export interface LineEvent {
  readonly session: SessionId;
  /** null: only a newer version knows it. */
  readonly event: RecordedSessionEvent | null;
  readonly type: string;
  readonly revision: Revision;
  readonly chars: number;
}

/**
 * The line of a session, a page at a time, from its end (or the event `at`) back: its own events, then those of what it was
 * forked from, up to where it was. It ends at what was erased. Whoever has enough leaves off: nothing more is read.
 * @throws ContentErased: the session itself is erased
 */
export async function* lineBackwards(
  log: EventLog,
  session: SessionId,
  at?: Revision,
): AsyncGenerator<readonly LineEvent[]> {
  const own = session;
  let part: { readonly session: SessionId; readonly at?: Revision } | null =
    at === undefined ? { session } : { session, at };
  while (part !== null) {
    const { session, at }: { readonly session: SessionId; readonly at?: Revision } = part;
    const bound = at === undefined ? {} : { after: at + 1 };
    let oldest: RecordedEvent | undefined;
    for await (const page of log.readStream(sessionStream(session), { backwards: true, ...bound })) {
      if (page.some(isOfErased)) {
        if (session === own) throw new ContentErased(`what was said in ${session} is erased`);
        return;
      }
      yield page.map((event) => lineEvent(event, session, session === own));
      oldest = page.at(-1);
    }
    part = oldest === undefined ? null : parentOf(oldest);
  }
}

const isOfErased = ({ isErased, type }: RecordedEvent): boolean =>
  isErased === true || type === 'session_erased';

function lineEvent(recorded: RecordedEvent, session: SessionId, isOwn: boolean): LineEvent {
  const { type, revision, json } = recorded;
  const known = knownSessionEvent(recorded);
  const event = known === null || isOwn || !json.includes('"$file"') ? known : inLine(known, session);
  return { session, event, type, revision, chars: json.length };
}

/** Of one that cannot be read nobody can tell. */
function parentOf(first: RecordedEvent): { readonly session: SessionId; readonly at: Revision } | null {
  const opened = knownSessionEvent(first);
  return opened?.type === 'session_opened' ? (forkOf(opened.data)?.forked_from ?? null) : null;
}
