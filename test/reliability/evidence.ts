import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, isFileRef } from '#domain';
import { type RecordedEvent, SqliteEventLog } from '#event-log';
import { SilentLogger } from '#platform';

/** Everything on the log of a data folder in which nothing runs. */
export async function readLog(dataDir: string): Promise<RecordedEvent[]> {
  const log = await SqliteEventLog.open({
    folder: join(dataDir, 'log'),
    logger: new SilentLogger(),
    reserveBytes: 0,
  });
  try {
    const events: RecordedEvent[] = [];
    for await (const batch of log.readAll()) events.push(...batch.events);
    return events;
  } finally {
    await log.close();
  }
}

/** Reads content where the service keeps what is too large for an event: a folder for each session. */
export class StoredContents {
  constructor(private readonly dataDir: string) {}

  text(session: string, content: Content): string {
    if (!isFileRef(content)) return content;
    return readFileSync(join(this.dataDir, 'files', session, content.$file), 'utf8');
  }
}

/** The `data:` JSON that clients have to be sent for an event, made from what stands on the log. */
export function publicJsonOf(event: RecordedEvent, session: string, contents: StoredContents): string {
  const { content } = event.data as { content?: Content };
  const whole = content === undefined ? {} : { content: contents.text(session, content) };
  return JSON.stringify({ type: event.type, session, ...event.data, ...whole });
}
