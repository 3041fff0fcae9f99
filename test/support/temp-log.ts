import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordedEvent, SqliteEventLog, collect } from '#event-log';
import { SilentLogger } from '#platform';

/** The real log in a folder of its own, without the syncs that a test need not wait for. */
export class TempLog {
  private constructor(
    readonly log: SqliteEventLog,
    private readonly folder: string,
  ) {}

  static async open(): Promise<TempLog> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-spec-'));
    const options = { folder, logger: new SilentLogger(), reserveBytes: 0, synchronous: 'NORMAL' as const };
    return new TempLog(await SqliteEventLog.open(options), folder);
  }

  async close(): Promise<void> {
    await this.log.close();
    await rm(this.folder, { recursive: true });
  }

  read(stream: string): Promise<RecordedEvent[]> {
    return collect(this.log.readStream(stream));
  }

  async typesOf(stream: string): Promise<string[]> {
    return (await this.read(stream)).map((event) => event.type);
  }
}
