import {
  type Fork,
  NO_SESSION,
  type OpenCalls,
  type RecordedSessionEvent,
  type Revision,
  type SessionId,
  type SharedPart,
  evolveSession,
  forkOf,
  knownSessionEvent,
  sessionStream,
} from '#domain';
import { SessionRecordFold, sharedPart } from '#projections';
import { ContentErased, type EventLog } from '#event-log';

/** What a session's own events say of it, up to one of them. */
export interface OwnPart {
  /** null: it is no fork. */
  readonly fork: Fork | null;
  readonly shared: SharedPart;
  readonly openCalls: OpenCalls;
}

const NOTHING: OwnPart = { fork: null, shared: { messages: 0 }, openCalls: [] };

/** @throws ContentErased, LogUnavailable */
export async function ownPart(log: EventLog, session: SessionId, at: Revision): Promise<OwnPart> {
  const fold = new SessionRecordFold(session);
  let first: RecordedSessionEvent | null = null;
  let isCleared = false;
  let state = NO_SESSION;
  reading: for await (const page of log.readStream(sessionStream(session), { limit: at + 1 })) {
    for (const recorded of page) {
      if (recorded.isErased || recorded.type === 'session_erased')
        throw new ContentErased(`what was said in ${session} is erased`);
      const event = knownSessionEvent(recorded);
      // What follows an event that only a newer version knows is not known either.
      if (event === null) break reading;
      first ??= event;
      isCleared ||= event.type === 'messages_cleared';
      fold.push(event);
      state = evolveSession(state, event);
    }
  }
  const summary = fold.finish();
  if (summary === null) return NOTHING;
  return {
    fork: first?.type === 'session_opened' ? forkOf(first.data) : null,
    shared: { ...sharedPart(summary), ...(isCleared ? { cleared: true } : {}) },
    openCalls: state.openCalls,
  };
}
