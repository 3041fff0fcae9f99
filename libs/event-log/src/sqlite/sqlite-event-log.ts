import type { StreamName } from '#domain';
import { type Clock, closeInOrder, closeTogether, keepFolder, type Logger, SystemClock } from '#platform';
import { checkSizes } from '../append-sizes.js';
import { StoredEvent, type Upcast } from '../codec.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '../envelope.js';
import {
  type AppendResult,
  type Batch,
  EventLog,
  type Expected,
  type HashBatch,
  type LogHealth,
  LogRefused,
  LogUnavailable,
  type ReadAllOptions,
  type ReadOptions,
} from '../event-log.js';
import type { ContentKeys } from '../sealing/content-keys.js';
import { type FeedLimits, LiveFeed } from '../live/live-feed.js';
import { logPages, NO_LIMIT, streamPages } from '../paging.js';
import { Connection } from './connection.js';
import { codeOf } from '../thread/append-request.js';
import { hashPages } from '../thread/hash-rows.js';
import { openPage } from '../thread/open-page.js';
import type { Page } from '../thread/page-rows.js';
import type { PendingAppend } from '../thread/pending-append.js';
import type { ThreadFaults } from './protocol.js';
import { Reserve } from './reserve.js';

export interface SqliteEventLogOptions {
  readonly folder: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Absent: encrypted events can be neither written nor read. */
  readonly keys?: ContentKeys;
  readonly upcast?: Upcast;
  readonly feedLimits?: FeedLimits;
  /** Disk reserve in bytes, larger than the WAL; 0: none. */
  readonly reserveBytes?: number;
  /** Target size of the WAL. */
  readonly walBytes?: number;
  readonly faults?: ThreadFaults;
}

/**
 * Small, because its checkpoint blocks the writer: 3 ms, where 16 MB took 10 to 15 at the same throughput.
 */
const WAL_BYTES = 4 * 1024 * 1024;
/** Multiple of the WAL's size, which a few transactions may exceed. */
const RESERVE_FACTOR = 4;
const SPACE_CHECK_MS = 5_000;
/** A millisecond's worth: the appends of the runs wait meanwhile. */
const HASHES_A_READ = 100;

/** Embedded adapter of EventLog: one SQLite file in one folder, for one process. */
export class SqliteEventLog extends EventLog {
  override readonly exclusive = true;
  private readonly connection: Connection;
  private readonly feed: LiveFeed;
  private readonly reserve: Reserve;
  private readonly upcast: Upcast | undefined;
  private headPosition: Position = 0;
  /** Position after which subscribers may have missed events; null: none missed. */
  private unheardAfter: Position | null = null;
  private spaceCheck: NodeJS.Timeout | undefined;

  private constructor(private readonly options: SqliteEventLogOptions) {
    super();
    this.upcast = options.upcast;
    const { folder, walBytes = WAL_BYTES, faults = {} } = options;
    this.connection = new Connection(
      { folder, walBytes, faults },
      {
        committed: (appends, outcomes) => this.committed(appends, outcomes),
        reopened: (head) => this.reopened(head),
        full: () => this.reserve.release(),
      },
      options.logger,
      options.keys ?? null,
    );
    this.reserve = new Reserve(folder, options.reserveBytes ?? walBytes * RESERVE_FACTOR);
    this.feed = new LiveFeed(
      {
        streamPage: (stream, after) => this.streamPage(stream, { after }, NO_LIMIT),
        logPage: (after, prefixes) => this.logPage(after, prefixes, NO_LIMIT),
      },
      options.clock ?? new SystemClock(),
      options.feedLimits,
    );
    options.keys?.onDestroyed((id) => {
      this.connection.keys.replace(id);
      this.feed.forget((event) => event.meta.keyId === id);
    });
  }

  /** @throws LogRefused when the folder is in use or its file is not a log that this program can go on with */
  static async open(options: SqliteEventLogOptions): Promise<SqliteEventLog> {
    makeFolder(options.folder);
    const log = new SqliteEventLog(options);
    await log.connection.open();
    log.headPosition = log.connection.head;
    log.feed.startAfter(log.headPosition);
    log.watchSpace();
    return log;
  }

  override get logId(): string {
    return this.connection.logId;
  }

  override append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      checkSizes(events);
      this.connection.append({ stream, events, expected: codeOf(options.expected), resolve, reject });
    });
  }

  override readStream(
    stream: StreamName,
    options: ReadOptions = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    return streamPages(options, (page) => this.streamPage(stream, page, page.limit, options.isRaw));
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<Batch> {
    return logPages(options, (after, limit) => this.logPage(after, [], limit, options.isRaw));
  }

  override readHashes(after: Position): AsyncIterable<HashBatch> {
    return hashPages(after, HASHES_A_READ, (question) => this.connection.read(question));
  }

  override subscribeStream(
    stream: StreamName,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]> {
    return this.feed.subscribeStream(stream, options.after ?? -1, options.signal);
  }

  override subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch> {
    return this.feed.subscribeAll(options.after ?? 0, options.prefixes ?? [], options.signal);
  }

  override async head(): Promise<Position> {
    const { problem } = this.connection;
    if (problem !== undefined) throw new LogUnavailable(problem);
    return this.headPosition;
  }

  override async health(): Promise<LogHealth> {
    const detail = this.connection.problem ?? this.connection.lastFailure ?? this.reserve.problem;
    return detail === undefined ? { ok: true } : { ok: false, detail };
  }

  override async close(): Promise<void> {
    clearTimeout(this.spaceCheck);
    await closeInOrder(
      () =>
        closeTogether(
          () => this.connection.close(),
          () => this.reserve.close(),
        ),
      () => this.feed.close(),
    );
  }

  private committed(appends: readonly PendingAppend[], outcomes: readonly number[]): void {
    for (const [i, { stream, events }] of appends.entries()) {
      const first = outcomes[i * 2]!;
      const last = outcomes[i * 2 + 1]!;
      // A conflict, or a repeat whose events were heard the first time.
      if (first < 0 || last <= this.headPosition) continue;
      const before = last - events.length + 1;
      const recorded = events.map(
        (event, j) =>
          new StoredEvent(event, { stream, revision: first + j, position: before + j }, this.upcast),
      );
      this.headPosition = last;
      this.feed.streamGrew(stream, recorded);
      this.feed.logGrew(recorded);
    }
    this.feed.wake();
  }

  private async streamPage(
    stream: StreamName,
    { after, backwards = false }: { after?: Revision | undefined; backwards?: boolean },
    limit: number,
    isRaw = false,
  ): Promise<readonly RecordedEvent[]> {
    const page = await this.connection.read({
      kind: 'stream',
      stream,
      after: after ?? null,
      backwards,
      limit,
      isRaw,
    });
    return this.decode(page);
  }

  private async logPage(
    after: Position,
    prefixes: readonly string[],
    limit: number,
    isRaw = false,
  ): Promise<Batch> {
    const page = await this.connection.read({ kind: 'all', after, prefixes, limit, isRaw });
    return { events: await this.decode(page), position: page.position };
  }

  private decode(page: Page): Promise<readonly RecordedEvent[]> {
    const { keys = null } = this.options;
    return openPage(page, { keys, known: this.connection.keys, upcast: this.upcast });
  }

  /** The file was reopened and may hold appends of unknown outcome, never acknowledged. */
  private reopened(head: Position): void {
    this.unheardAfter ??= this.headPosition;
    this.headPosition = head;
    this.feed.startAfter(head);
    this.feed.wake();
    void this.hear();
  }

  private async hear(): Promise<void> {
    while (this.unheardAfter !== null) {
      // Unavailable again: it will be heard when the file is open once more.
      const batch = await this.logPage(this.unheardAfter, [], NO_LIMIT).catch(() => null);
      if (batch === null) return;
      for (const [stream, events] of Map.groupBy(batch.events, (event) => event.stream))
        this.feed.streamGrew(stream, events);
      this.unheardAfter = batch.events.length > 0 ? batch.position : null;
    }
  }

  private watchSpace(): void {
    this.reserve
      .check()
      .catch((error: unknown) =>
        this.options.logger.warn({ err: error }, 'the space on the disk could not be looked at'),
      )
      .finally(() => {
        if (this.reserve.isClosed) return;
        this.spaceCheck = setTimeout(() => this.watchSpace(), SPACE_CHECK_MS).unref();
      });
  }
}

function makeFolder(folder: string): void {
  try {
    keepFolder(folder);
  } catch (error) {
    throw new LogRefused(
      `${folder} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
