import { type FileRef, isFileRef, type SessionId } from '#domain';
import { type ContentStore, FileDamaged } from '#vault';
import { type RecordedEvent } from '#event-log';

/** Within JSON text a quote is escaped, so this can only be the name of a stored file. */
const FILE_MARK = '{"$file":';

/**
 * The `data:` JSON of a public event, on one line to whoever splits lines: made from the bytes on the log alone, so it is
 * the same for every client, in every way out, at any time. A promise where content has to be fetched from the file store.
 * Of an event whose data or content do not open it says so: `{"type":…,"session":…,"unreadable":true}`.
 */
export function publicJson(
  event: RecordedEvent,
  session: SessionId,
  contents: ContentStore,
): string | Promise<string> {
  if (event.isUnreadable) return framed(event.type, session, UNREADABLE);
  if (event.json.includes(FILE_MARK)) return withContent(event, session, contents);
  return framed(event.type, session, event.json);
}

/** Instead of the fields. */
const UNREADABLE = '{"unreadable":true}';

/** What has to be fetched from the file store for the JSON of an event, in bytes. */
export function fetchedBytes(event: RecordedEvent): number {
  if (!event.json.includes(FILE_MARK)) return 0;
  const files = Object.values<unknown>({ ...event.data }).filter(isFile);
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A field that holds content: a name of a file stands in no other kind. */
const isFile = (value: unknown): value is FileRef =>
  typeof value === 'object' && value !== null && isFileRef(value);

async function withContent(
  event: RecordedEvent,
  session: SessionId,
  contents: ContentStore,
): Promise<string> {
  try {
    return await fetched(event, session, contents);
  } catch (error) {
    if (!(error instanceof FileDamaged)) throw error;
    return framed(event.type, session, UNREADABLE);
  }
}

async function fetched(event: RecordedEvent, session: SessionId, contents: ContentStore): Promise<string> {
  const fields: Record<string, unknown> = { ...event.data };
  for (const [name, value] of Object.entries(fields)) {
    if (isFile(value)) fields[name] = await contents.text(session, value);
  }
  return framed(event.type, session, JSON.stringify(fields));
}

function framed(type: string, session: SessionId, fields: string): string {
  const start = `{"type":"${type}","session":"${session}"`;
  return fields === '{}' ? `${start}}` : `${start},${onOneLine(fields).slice(1)}`;
}

/**
 * JSON leaves these three as they are, and an SSE parser takes no end of a line for one; but what splits lines as Unicode
 * does (Python's `splitlines`, JavaScript's regular expressions) would, and a text could forge records for it. What else
 * ends lines is a control character, which JSON escapes.
 */
const LINE_ENDS = /[\u0085\u2028\u2029]/;
const ALL_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** JSON text of the same value, in which nothing ends a line. Mostly it is the text itself. */
export const onOneLine = (json: string): string =>
  LINE_ENDS.test(json) ? json.replace(ALL_LINE_ENDS, escaped) : json;

const escaped = (end: string): string => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
