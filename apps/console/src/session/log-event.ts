import { type RecordedSessionEvent, knownSessionEvent } from '#domain/browser';
import type { LogLine } from '../api/types.js';

export type { LogLine } from '../api/types.js';

/** An event of a session's log. */
export interface LogEvent {
  /** Its revision. */
  readonly id: number;
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
  readonly actor: string;
  readonly run?: string;
  /** null: not loaded, or erased. */
  readonly data: object | null;
  readonly line: LogLine;
  /** What the folds take; null where only a newer version knows the type. Without data it has those of its type's stand-in. */
  readonly known: RecordedSessionEvent | null;
}

export function logEvent(line: LogLine): LogEvent {
  const { revision, type, time, actor, project, run } = line;
  const data = dataOf(line.text);
  const meta = { project, actor, ...(run === undefined ? {} : { run }) };
  const isUnreadable = data === null ? { isUnreadable: true } : {};
  const known = knownSessionEvent({ revision, time, type, meta, data: data ?? {}, ...isUnreadable });
  return { id: revision, type, time, actor, ...(run === undefined ? {} : { run }), data, line, known };
}

/** The events that folds can run over: what follows one of an unknown type is not known either. */
export function knownEvents(events: readonly LogEvent[]): readonly RecordedSessionEvent[] {
  const known: RecordedSessionEvent[] = [];
  for (const event of events) {
    if (event.known === null) break;
    known.push(event.known);
  }
  return known;
}

function dataOf(text: string | undefined): object | null {
  if (text === undefined) return null;
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' ? data : null;
  } catch {
    return null;
  }
}
