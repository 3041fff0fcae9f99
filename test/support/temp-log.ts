import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sessionStream } from '#domain';
import {
  type ContentKeys,
  type EventLog,
  MemoryContentKeys,
  type NewEvent,
  type RecordedEvent,
  SqliteEventLog,
  collect,
  newEvent,
} from '#event-log';
import { SealedEventLog, StreamKeys } from '#vault';
import { SilentLogger } from '#platform';
import { CountingRandom } from './counting-random.js';
import type { SessionTape } from './session-tape.js';

/** The real log in a folder of its own, without the syncs that a test need not wait for. */
export class TempLog {
  private constructor(
    readonly log: EventLog,
    readonly streams: StreamKeys,
    /** The log as it is below, which does not know which key is whose. */
    readonly plain: EventLog,
    private readonly folder: string,
  ) {}

  /** @param keys absent: nothing is sealed */
  static async open(keys?: ContentKeys): Promise<TempLog> {
    return TempLog.in(await mkdtemp(join(tmpdir(), 'annals-spec-')), keys);
  }

  private static async in(folder: string, keys?: ContentKeys): Promise<TempLog> {
    const options = { folder, logger: new SilentLogger(), reserveBytes: 0, synchronous: 'NORMAL' as const };
    const log = await SqliteEventLog.open({ ...options, ...(keys && { keys }) });
    const streams = new StreamKeys(log, keys ?? new MemoryContentKeys());
    return new TempLog(keys ? new SealedEventLog(log, streams) : log, streams, log, folder);
  }

  async close(): Promise<void> {
    await this.log.close();
    await rm(this.folder, { recursive: true });
  }

  /** The same log, opened again, of which an event that is not sealed is only half there. */
  async damaged(stream: string, revision: number): Promise<TempLog> {
    await this.log.close();
    const db = new DatabaseSync(join(this.folder, 'log.db'));
    db.prepare(
      `UPDATE events SET data = substr(data, 1, length(data) / 2)
       WHERE revision = ? AND stream = (SELECT id FROM streams WHERE name = ?)`,
    ).run(revision, stream);
    db.close();
    return TempLog.in(this.folder);
  }

  read(stream: string): Promise<RecordedEvent[]> {
    return collect(this.log.readStream(stream));
  }

  async typesOf(stream: string): Promise<string[]> {
    return (await this.read(stream)).map((event) => event.type);
  }
}

const APPEND_BYTES = 400 * 1024;
/** Of each event, besides its data. */
const ENVELOPE_BYTES = 256;

/** Puts the events of a tape on the log, as the stream of a session that nobody has written to. */
export async function appendTape(
  temp: TempLog,
  session: string,
  tape: Pick<SessionTape, 'events'>,
): Promise<void> {
  const random = new CountingRandom(session);
  let batch: NewEvent[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await temp.log.append(sessionStream(session), batch, { expected: 'any' });
    batch = [];
    bytes = 0;
  };
  for (const { type, data, time, meta } of tape.events) {
    const event = newEvent({ id: random.uuid(), type, time, data }, { schemaVersion: 1, ...meta });
    batch.push(event);
    bytes += event.json.length + ENVELOPE_BYTES;
    if (bytes > APPEND_BYTES) await flush();
  }
  await flush();
}
