import {
  type ContextMessage,
  type RecordedSessionEvent,
  type SessionId,
  knownSessionEvent,
  notFound,
  sessionStream,
  type Revision,
} from '#domain';
import { ContentErased, type EventLog } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { READ_CHARS, foldContext } from './load-session.js';

/**
 * What a run is told that starts behind the event `at` of a session: as far back as the mode with the most room could be
 * told, from the last clear before it on.
 * @throws Problem not_found: erased; LogUnavailable
 */
export async function contextAsOf(
  log: EventLog,
  { session, at }: { readonly session: SessionId; readonly at: Revision },
  weigh: Weigh = unweighed,
): Promise<readonly ContextMessage[]> {
  const stream = sessionStream(session);
  const tail: RecordedSessionEvent[] = [];
  let chars = 0;
  reading: for await (const page of log.readStream(stream, { after: at + 1, backwards: true })) {
    for (const raw of page) {
      if (raw.isErased || raw.type === 'session_erased') throw notFound('the session');
      const event = knownSessionEvent(raw);
      if (event === null) continue;
      tail.push(event);
      chars += raw.json.length;
      if (event.type === 'messages_cleared' || (chars > READ_CHARS && isFirstClaim(event))) break reading;
    }
    await weigh(chars);
  }
  try {
    return (await foldContext(log, stream, tail.reverse(), null)).settled();
  } catch (error) {
    // It was erased since the page before.
    throw error instanceof ContentErased ? notFound('the session') : error;
  }
}

/** One that comes later, or of a run that takes up another, stands in the middle of what a run is told. */
const isFirstClaim = (event: RecordedSessionEvent): boolean =>
  event.type === 'run_claimed' && !event.isUnreadable && event.data.epoch === 1 && !event.data.isRetry;
