import type { RecordedEvent } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { type Content, type FileRef, type RecordedSessionEvent, isFileRef, type SessionId } from '#domain';
import type { ContentStore } from '#vault';

const FILE_MARK = '{"$file":';
/** By how much more is asked for at a time. */
const STEP = 4;

/** What events bring into memory with the texts that lie in files. */
export const bytesWithTexts = (events: readonly RecordedEvent[]): number =>
  events.reduce((sum, event) => sum + event.json.length + bytesInFiles(event), 0);

const bytesInFiles = (event: RecordedEvent): number =>
  event.isUnreadable !== true && event.json.includes(FILE_MARK)
    ? filesIn(event.data).reduce((sum, { bytes }) => sum + bytes, 0)
    : 0;

/**
 * For whoever keeps all that is read. More is asked for in few steps: each waits for its turn anew, and meanwhile holds what
 * was read before it.
 */
export function summed(weigh: Weigh = unweighed): Weigh {
  let [sum, asked] = [0, 0];
  return async (bytes) => {
    sum += bytes;
    if (sum <= asked) return;
    asked = Math.max(sum, asked * STEP);
    await weigh(asked);
  };
}

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
