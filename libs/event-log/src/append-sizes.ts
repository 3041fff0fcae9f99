import { sizeOf } from './codec.js';
import type { NewEvent } from './envelope.js';
import { EventTooLarge, MAX_APPEND_BYTES, MAX_EVENT_BYTES } from './event-log.js';

/**
 * Checks an append against the size limits.
 * @throws RangeError for an empty append, EventTooLarge over a limit
 */
export function checkSizes(events: readonly NewEvent[]): void {
  if (events.length === 0) throw new RangeError('an append needs an event');
  let total = 0;
  for (const event of events) {
    const bytes = sizeOf(event);
    if (bytes > MAX_EVENT_BYTES)
      throw new EventTooLarge(`${event.type} has ${bytes} bytes of ${MAX_EVENT_BYTES}`);
    total += bytes;
  }
  if (total > MAX_APPEND_BYTES)
    throw new EventTooLarge(`the append has ${total} bytes of ${MAX_APPEND_BYTES}`);
}
