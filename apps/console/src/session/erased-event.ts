import { type RecordedSessionEvent, UNREADABLE_TEXT } from '#domain/browser';
import { isPiece } from './lanes.js';
import { type LogEvent, type LogLine, logEvent } from './log-event.js';

const ERASED = 'erased';

/** Events of an erased session: in the place of each text stands that it is erased, of one in pieces once. */
export function erasedEvents(lines: readonly LogLine[]): LogEvent[] {
  let before: LogEvent | null = null;
  return lines.map((line) => {
    const event = logEvent(line);
    const goesOn = isPiece(event.type) && before?.type === event.type && before.run === event.run;
    before = event;
    if (event.data !== null || event.known === null) return event;
    return { ...event, known: withWord(event.known, goesOn ? '' : ERASED) };
  });
}

function withWord(known: RecordedSessionEvent, word: string): RecordedSessionEvent {
  const data: unknown = JSON.parse(JSON.stringify(known.data).replaceAll(UNREADABLE_TEXT, word));
  return Object.create(known, { data: { value: data, enumerable: true } }) as RecordedSessionEvent;
}
