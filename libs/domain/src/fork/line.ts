import { isFileRef } from '../content.js';
import type { SessionId } from '../ids.js';
import type { RecordedSessionEvent } from '../session-events.js';

/**
 * An event of a session as one of a line that goes on in a fork: its files are named with the session in which they lie. The
 * line of a fork is its parent's up to the event it was forked at, then its own events; every fold runs over a line.
 */
export function inLine(event: RecordedSessionEvent, session: SessionId): RecordedSessionEvent {
  const data = named(event.data, session);
  if (data === event.data) return event;
  return Object.create(event, { data: { value: data, enumerable: true } }) as RecordedSessionEvent;
}

/** The value itself where it refers to no file. */
function named<T>(value: T, session: SessionId): T {
  if (typeof value !== 'object' || value === null) return value;
  if (isFileRef(value)) return { ...value, session };
  const entries = Object.entries(value);
  const parts = entries.map(([key, part]) => [key, named(part as unknown, session)] as const);
  if (parts.every(([, part], index) => part === entries[index]?.[1])) return value;
  return (Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)) as T;
}
