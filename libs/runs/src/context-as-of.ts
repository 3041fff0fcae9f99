import { type ContextMessage, type SessionId, notFound, type Revision } from '#domain';
import { ContentErased, type EventLog } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { ContextReach, isTold } from './context-reach.js';
import { READ_CHARS, foldContext } from './load-session.js';
import { type LineEvent, lineBackwards } from './session-line.js';

/**
 * What a run is told that starts behind the event `at` of a session: as it was compacted there, from the last clear
 * before it on.
 * @throws Problem not_found: erased; LogUnavailable
 */
export async function contextAsOf(
  log: EventLog,
  { session, at }: { readonly session: SessionId; readonly at: Revision },
  weigh: Weigh = unweighed,
  maxChars = READ_CHARS,
): Promise<readonly ContextMessage[]> {
  const tail: LineEvent[] = [];
  const reach = new ContextReach(maxChars);
  let chars = 0;
  try {
    reading: for await (const page of lineBackwards(log, session, at)) {
      for (const part of page) {
        const { event } = part;
        if (event === null) continue;
        chars += part.chars;
        if (isTold(event)) tail.push(part);
        if (reach.take(part) || event.type === 'messages_cleared') break reading;
      }
      await weigh(chars);
    }
    return (await foldContext(log, tail.reverse(), null)).fold.settled();
  } catch (error) {
    throw error instanceof ContentErased ? notFound('the session') : error;
  }
}

/** What runs that start at an event are told, in this installation. */
export class ContextsAsOf {
  /** @param maxChars what is read of a line that was never compacted */
  constructor(
    private readonly log: EventLog,
    private readonly maxChars: number,
  ) {}

  /** @throws Problem not_found: erased; LogUnavailable */
  of(
    moment: { readonly session: SessionId; readonly at: Revision },
    weigh?: Weigh,
  ): Promise<readonly ContextMessage[]> {
    return contextAsOf(this.log, moment, weigh, this.maxChars);
  }
}
