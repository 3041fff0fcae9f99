import { isFileRef } from '#domain';
import type { ContentStore, RecordedEvent } from '#event-log';

/** Within JSON text a quote is escaped, so this can only be the name of a stored file. */
const FILE_MARK = '{"$file":';

/**
 * The `data:` JSON of a public event: made from the bytes on the log alone, so it is the same for every client, at any
 * time. A promise where content has to be fetched from the file store.
 */
export function publicJson(
  event: RecordedEvent,
  session: string,
  contents: ContentStore,
): string | Promise<string> {
  if (event.json.includes(FILE_MARK)) return withContent(event, session, contents);
  return framed(event.type, session, event.json);
}

async function withContent(event: RecordedEvent, session: string, contents: ContentStore): Promise<string> {
  const fields: Record<string, unknown> = { ...event.data };
  for (const [name, value] of Object.entries(fields)) {
    // A field that holds content: a name of a file stands in no other kind.
    if (typeof value === 'object' && value !== null && isFileRef(value))
      fields[name] = await contents.text(session, value);
  }
  return framed(event.type, session, JSON.stringify(fields));
}

function framed(type: string, session: string, fields: string): string {
  const start = `{"type":"${type}","session":"${session}"`;
  return fields === '{}' ? `${start}}` : `${start},${fields.slice(1)}`;
}
