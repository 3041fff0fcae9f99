import { type Content, type FileRef, type RecordedSessionEvent, isFileRef, type SessionId } from '#domain';
import type { ContentStore } from '#vault';

const FILE_MARK = '{"$file":';

/** The event with the texts that lie in files; `json` is as the log holds it. @throws FileMissing, LogUnavailable */
export async function withTexts(
  event: RecordedSessionEvent,
  json: string,
  session: SessionId,
  contents: ContentStore,
): Promise<RecordedSessionEvent> {
  if (!json.includes(FILE_MARK) || event.isUnreadable === true) return event;
  const texts = new Map<FileRef, string>();
  for (const file of filesIn(event.data)) texts.set(file, await contents.textOrNote(session, file));
  const data = read(event.data, texts) as Record<string, unknown>;
  // Settings are stored as JSON where they are too large for the event.
  if (event.type === 'run_requested' && typeof data['config'] === 'string')
    data['config'] = configOf(data['config']);
  return Object.create(event, { data: { value: data, enumerable: true } }) as RecordedSessionEvent;
}

function configOf(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    // A note that the file cannot be read.
    return {};
  }
}

function filesIn(value: unknown): readonly FileRef[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isFileRef(value)) return [value];
  return Object.values(value).flatMap(filesIn);
}

function read(value: unknown, texts: ReadonlyMap<FileRef, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isFileRef(value)) return texts.get(value) ?? '';
  if (Array.isArray(value)) return value.map((part: unknown) => read(part, texts));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, read(part as Content, texts)]));
}
