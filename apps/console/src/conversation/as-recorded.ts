import {
  type FileRef,
  type RecordedSessionEvent,
  UNREADABLE_TEXT,
  isKnownType,
  knownSessionEvent,
} from '#domain/browser';
import type { ConversationEvent, Text, Unloaded } from './items.js';

/** Fields of events that may be texts of any size. */
const TEXTS = ['content', 'message', 'text', 'output'] as const;
const MARK = 'event:';

/**
 * An event as the folds of the domain take it; null: of a type that only a newer version knows. A text that is not in the
 * page is a reference to its event, where the domain has one to a file.
 */
export function asRecorded(event: ConversationEvent): RecordedSessionEvent | null {
  if (!isKnownType(event.type)) return null;
  const data = event.data === null ? null : withMarks(event.data, event);
  if (data !== null && data === event.data && event.known) return event.known;
  const { id: revision, type, time, actor, run } = event;
  const meta = { project: '', actor, ...(run === undefined ? {} : { run }) };
  const passage = { revision, type, time, meta };
  if (data !== null) return knownSessionEvent({ ...passage, data });
  const { bytes, head } = event.line ?? {};
  if (bytes === undefined)
    return event.known ?? knownSessionEvent({ ...passage, data: {}, isUnreadable: true });
  return knownSessionEvent({ ...passage, data: { ...begun(head ?? ''), ...marksOf(event, bytes) } });
}

/** Texts in files become references to their event: files have no address of their own. */
function withMarks(data: object, event: ConversationEvent): object {
  let marked: Record<string, unknown> | null = null;
  for (const name of TEXTS) {
    const value = (data as Record<string, unknown>)[name];
    if (!isReference(value)) continue;
    marked ??= { ...data };
    marked[name] = mark(event, value.bytes);
  }
  return marked ?? data;
}

const isReference = (value: unknown): value is FileRef =>
  typeof value === 'object' && value !== null && '$file' in value;

function marksOf(event: ConversationEvent, bytes: number): object {
  const content = mark(event, bytes);
  return event.type === 'run_requested' ? { message: content, config: {} } : { content };
}

const mark = ({ id, session }: ConversationEvent, bytes: number): FileRef => ({
  $file: `${MARK}${id}`,
  bytes,
  ...(session === undefined ? {} : { session }),
});

/** Pieces as texts of the conversation. */
export function textOf(pieces: readonly (string | FileRef)[]): Text {
  const text: (string | Unloaded)[] = [];
  for (const piece of pieces) {
    const last = text.at(-1);
    if (typeof piece !== 'string') text.push(unloaded(piece));
    else if (typeof last === 'string') text[text.length - 1] = last + piece;
    else text.push(piece);
  }
  return text;
}

function unloaded({ $file, bytes, session }: FileRef): string | Unloaded {
  if (!$file.startsWith(MARK)) return UNREADABLE_TEXT;
  return { event: Number($file.slice(MARK.length)), bytes, ...(session === undefined ? {} : { session }) };
}

/** The short texts that the beginning of a JSON text names, before anything that is cut off. */
export function begun(head: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  const field = /[{,]"([a-z_]{1,40})":("(?:[^"\\]|\\.){0,200}")(?=[,}])/gy;
  for (let match = field.exec(head); match !== null; match = field.exec(head))
    fields[match[1]!] = JSON.parse(match[2]!) as string;
  return fields;
}
