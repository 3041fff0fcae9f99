import { type ContextMessage, type SessionId, notFound, type Revision } from '#domain';
import { ContentErased, type EventLog } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { READ_CHARS, foldContext, isFirstClaim } from './load-session.js';
import { type LineEvent, lineBackwards } from './session-line.js';

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
  const tail: LineEvent[] = [];
  let chars = 0;
  try {
    reading: for await (const page of lineBackwards(log, session, at)) {
      for (const part of page) {
        const { event } = part;
        if (event === null) continue;
        tail.push(part);
        chars += part.chars;
        if (event.type === 'messages_cleared' || (chars > READ_CHARS && isFirstClaim(event))) break reading;
      }
      await weigh(chars);
    }
    return (await foldContext(log, tail.reverse(), null)).fold.settled();
  } catch (error) {
    throw error instanceof ContentErased ? notFound('the session') : error;
  }
}
