import { type RecordedSessionEvent } from '#domain/browser';
import { useMemo, useRef } from 'preact/hooks';
import { api } from '../api/client.js';
import { type Polled, usePoll } from '../api/polled.js';
import type { Page } from '../api/types.js';
import { pathWith, segment } from '../lists/path.js';
import { type LogLine, logEvent } from '../session/log-event.js';

interface LogItem {
  readonly id: string;
  readonly data: LogLine;
}

const PAGE = 200;
/** An event's text as a whole: calls and results stand in it. */
const INLINE = 262_144;
const EVERY_MS = 1000;

/** What was read of a run's part of the log; it only grows. */
interface Read {
  readonly of: string;
  readonly events: RecordedSessionEvent[];
  after: number | null;
}

/** The events of one run, and those that come while it is not over. */
export function useRunLog(
  session: string | null,
  run: string,
  isOver: boolean,
): Polled<readonly RecordedSessionEvent[]> {
  const read = useRef<Read>({ of: '', events: [], after: null });
  const key = session === null ? null : `${session} ${run}`;
  if (key !== null && read.current.of !== key) read.current = { of: key, events: [], after: null };
  const polled = usePoll<number>(
    key,
    session === null ? null : (signal) => readOn(read.current, session, run, signal),
    isOver ? null : EVERY_MS,
  );
  if (polled.problem?.status === 404) read.current = { of: '', events: [], after: null };
  const { length } = read.current.events;
  const events = useMemo(() => [...read.current.events], [key, length]);
  return { ...polled, data: polled.data === null && length === 0 ? null : events };
}

/** Reads from where it stopped to the end of what is recorded. Returns how many there are. */
async function readOn(read: Read, session: string, run: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    const path = pathWith(`/sessions/${segment(session)}/log`, {
      run,
      limit: String(PAGE),
      inline: String(INLINE),
      after: read.after === null ? null : String(read.after),
    });
    const { items, next_cursor: next } = await api.get<Page<LogItem>>(path, { signal });
    for (const { data } of items) {
      const { known } = logEvent(data);
      if (known !== null) read.events.push(known);
      read.after = data.revision;
    }
    if (next === null || items.length === 0) return read.events.length;
  }
}
