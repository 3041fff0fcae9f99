import { isKnownType } from './event-types.js';
import type { Passage, RecordedSessionEvent } from './session-events.js';
import { withReadableData } from './unreadable-events.js';

export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
}

/**
 * Reads a recorded event of a session stream as what its type says it is; where its data do not open, with data that stand
 * for them. @throws UnknownEventType
 */
export function asSessionEvent(
  event: Passage & { readonly type: string; readonly data: object },
): RecordedSessionEvent {
  if (!isKnownType(event.type)) {
    throw new UnknownEventType(`no event of a session is called ${event.type}`);
  }
  return withReadableData(event as RecordedSessionEvent);
}

/** The same, or null for a type that only a newer version knows, and for what is erased: whoever must go on passes it over. */
export function knownSessionEvent(
  event: Passage & { readonly type: string; readonly data: object },
): RecordedSessionEvent | null {
  return isKnownType(event.type) && event.isErased !== true
    ? withReadableData(event as RecordedSessionEvent)
    : null;
}
