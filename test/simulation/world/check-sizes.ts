import { EventTooLarge, MAX_APPEND_BYTES, MAX_EVENT_BYTES, type NewEvent } from '#event-log';

/** The limits of an append, as every adapter has them. @throws EventTooLarge */
export function checkSizes(events: readonly NewEvent[]): void {
  if (events.length === 0) throw new RangeError('an append needs an event');
  let total = 0;
  for (const { json, meta, type } of events) {
    const bytes = Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(meta));
    if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(`${type} has ${bytes} bytes`);
    total += bytes;
  }
  if (total > MAX_APPEND_BYTES) throw new EventTooLarge(`the append has ${total} bytes`);
}
