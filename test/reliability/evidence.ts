import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Content, isFileRef } from '#domain';
import { DiskFileStore, FileMissing, type RecordedEvent, SealedFileStore } from '#event-log';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { openSealed, type SealedParts } from '../../apps/server/src/open-keys.js';

/** The log of a data folder in which nothing runs, with its keys. */
function openIn(dataDir: string): Promise<SealedParts> {
  const settings = {
    dataDir,
    databaseUrl: null,
    masterKey: null,
    eventstoreUrl: null,
    eventstorePrefix: '',
  };
  return openSealed(settings, {
    clock: new SystemClock(),
    random: new SystemRandom(),
    logger: new SilentLogger(),
  });
}

/** Everything on the log of a data folder in which nothing runs. */
export async function readLog(dataDir: string): Promise<RecordedEvent[]> {
  const { log, close } = await openIn(dataDir);
  try {
    const events: RecordedEvent[] = [];
    for await (const batch of log.readAll()) events.push(...batch.events);
    return events;
  } finally {
    await close();
  }
}

/** Content where the service keeps what is too large for an event: a folder for each session. */
export class StoredContents {
  private readonly texts = new Map<string, string>();

  private constructor() {}

  /** Opens every file of a data folder in which nothing runs. */
  static async open(dataDir: string): Promise<StoredContents> {
    const contents = new StoredContents();
    const { box, streams, close } = await openIn(dataDir);
    try {
      const folder = join(dataDir, 'files');
      const disk = await DiskFileStore.open(folder, box.derive('annals/files/v1'));
      const files = new SealedFileStore(disk, streams);
      for (const session of await readdir(folder))
        for (const name of session.startsWith('.') ? [] : await readdir(join(folder, session))) {
          const bytes = await files.get(session, name);
          contents.texts.set(`${session}/${name}`, Buffer.from(bytes).toString('utf8'));
        }
    } finally {
      await close();
    }
    return contents;
  }

  text(session: string, content: Content): string {
    if (!isFileRef(content)) return content;
    const text = this.texts.get(`${session}/${content.$file}`);
    if (text === undefined) throw new FileMissing(`there is no file ${content.$file} of ${session}`);
    return text;
  }
}

/** The `data:` JSON that clients have to be sent for an event, made from what stands on the log. */
export function publicJsonOf(event: RecordedEvent, session: string, contents: StoredContents): string {
  const { content } = event.data as { content?: Content };
  const whole = content === undefined ? {} : { content: contents.text(session, content) };
  return JSON.stringify({ type: event.type, session, ...event.data, ...whole });
}
