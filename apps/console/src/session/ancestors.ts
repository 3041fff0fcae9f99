import { type RecordedSessionEvent, forkOf, inLine } from '#domain/browser';
import { api } from '../api/client.js';
import { ApiProblem } from '../api/problem.js';
import type { Page, SessionView } from '../api/types.js';
import { may } from '../app/session.js';
import { erasedEvents } from './erased-event.js';
import { type LogEvent, type LogLine, logEvent } from './log-event.js';

/** What a session was forked from, up to where: the first of its line comes first. */
export interface Ancestor {
  readonly session: string;
  readonly at: number;
  readonly title: string | null;
  /** Of an erased one its structure, as far as the key may know it. */
  readonly events: readonly LogEvent[];
  /** Its events as those of the fork's line: files are named with the session in which they lie. None of an erased one. */
  readonly known: readonly RecordedSessionEvent[];
  readonly isErased: boolean;
}

const PAGE = 200;
/** Erased, the texts of a line are gone from the screen within 2 s. */
const LOOK_MS = 1500;

/** The line of a session before its own events. @param first its `session_opened` */
export async function readAncestors(first: LogEvent, signal: AbortSignal): Promise<readonly Ancestor[]> {
  const line: Ancestor[] = [];
  for (let opened: LogEvent | undefined = first; opened !== undefined;) {
    const from = opened.data === null ? null : forkOf(opened.data);
    if (from === null) break;
    const { session, at } = from.forked_from;
    const ancestor = await readAncestor(session, Number(at), signal);
    line.unshift(ancestor);
    opened = ancestor.events[0];
  }
  return line;
}

/** Tells once when a session of the line is erased: no stream of the page would. A page that nobody sees does not ask. */
export function watchErasure(line: readonly Ancestor[], signal: AbortSignal, onErased: () => void): void {
  const there = line.filter(({ isErased }) => !isErased);
  const look = (): void => {
    if (document.hidden) return again();
    const looks = there.map(({ session }) => api.get(`/sessions/${encodeURIComponent(session)}`, { signal }));
    Promise.all(looks).then(again, (error: unknown) => {
      if (signal.aborted) return;
      if (error instanceof ApiProblem && error.status === 404) onErased();
      else again();
    });
  };
  const again = (): void => void setTimeout(() => signal.aborted || look(), LOOK_MS);
  if (there.length > 0) again();
}

async function readAncestor(session: string, at: number, signal: AbortSignal): Promise<Ancestor> {
  const path = `/sessions/${encodeURIComponent(session)}`;
  try {
    const { title } = await api.get<SessionView>(`${path}?at=${at}`, { signal });
    const events: LogEvent[] = [];
    while (events.length <= at) {
      const query = `${events.length === 0 ? '' : `after=${events.length - 1}&`}limit=${PAGE}&inline=262144`;
      const { items } = await api.get<Page<{ readonly data: LogLine }>>(`${path}/log?${query}`, { signal });
      if (items.length === 0) break;
      for (const { data } of items) if (data.revision <= at) events.push(logEvent(data));
      if ((items.at(-1)?.data.revision ?? at) >= at) break;
    }
    const known = events.flatMap((event) => (event.known === null ? [] : [inLine(event.known, session)]));
    return { session, at, title, events, known, isErased: false };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
    const events = await structureOf(session, at, signal);
    return { session, at, title: null, events, known: [], isErased: true };
  }
}

/** What is left of an erased session up to an event; only a key that administers it is told. */
async function structureOf(session: string, at: number, signal: AbortSignal): Promise<readonly LogEvent[]> {
  if (!may('admin')) return [];
  const { readErased } = await import('./erased.js');
  const lines = await readErased(session, signal).catch(() => null);
  return lines === null ? [] : erasedEvents(lines.filter(({ revision }) => revision <= at));
}
