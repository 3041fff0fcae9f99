import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Content, DOCUMENT_PREFIX, isFileRef } from '#domain';
import { DiskFileStore, FileMissing, SealedFileStore } from '#vault';
import { type RecordedEvent } from '#event-log';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { openSealed, type SealedParts } from '../../apps/server/src/compose/open-keys.js';

/** A data folder, or what replicas share. */
export type LogPlace =
  | string
  | {
      readonly dataDir: string;
      readonly masterKey: Buffer;
      readonly databaseUrl: string;
      readonly eventstoreUrl: string;
    };

/** The log with its keys. Nothing may run in a data folder. */
export function openIn(place: LogPlace): Promise<SealedParts> {
  const alone = { databaseUrl: null, masterKey: null, eventstoreUrl: null };
  const settings = typeof place === 'string' ? { ...alone, dataDir: place } : place;
  return openSealed(
    { ...settings, eventstorePrefix: 'annals.' },
    {
      clock: new SystemClock(),
      random: new SystemRandom(),
      logger: new SilentLogger(),
    },
  );
}

/** Everything on the log, or all that is behind a position. */
export async function readLog(place: LogPlace, after = 0): Promise<RecordedEvent[]> {
  const { log, close } = await openIn(place);
  try {
    const events: RecordedEvent[] = [];
    let from = after;
    // Raw events are opened with the keys that are in memory, which are those of the events read last.
    for await (const { position } of log.readAll({ after })) {
      for await (const raw of log.readAll({ after: from, isRaw: true })) {
        events.push(...raw.events.filter((event) => event.position <= position));
        if (raw.position >= position) break;
      }
      from = position;
    }
    return events;
  } finally {
    await close();
  }
}

/** Content where the service keeps what is too large for an event: a folder for each session. */
export class StoredContents {
  private readonly texts = new Map<string, string>();

  private constructor() {}

  /** Opens every file of sessions, or those of some; documents have files, too, which are sealed in another way. */
  static async open(
    place: LogPlace,
    isWanted: (session: string) => boolean = () => true,
  ): Promise<StoredContents> {
    const contents = new StoredContents();
    const { box, streams, close } = await openIn(place);
    try {
      const folder = join(typeof place === 'string' ? place : place.dataDir, 'files');
      const disk = await DiskFileStore.open(folder, box.derive('annals/files/v1'));
      const files = new SealedFileStore(disk, streams);
      const sessions = (await readdir(folder)).filter((name) => !name.startsWith('.') && !isOfDocument(name));
      for (const session of sessions.filter(isWanted))
        for (const name of await readdir(join(folder, session))) {
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

const isOfDocument = (folder: string): boolean => folder.startsWith(DOCUMENT_PREFIX);

/** The `data:` JSON that clients have to be sent for an event, made from what stands on the log. */
export function publicJsonOf(event: RecordedEvent, session: string, contents: StoredContents): string {
  const { content } = event.data as { content?: Content };
  const whole = content === undefined ? {} : { content: contents.text(session, content) };
  const json = JSON.stringify({ type: event.type, session, ...event.data, ...whole });
  // What ends a line for somebody is escaped.
  return json.replaceAll('\u0085', '\\u0085').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
