import { type Clock, type Logger, type Random, SystemClock, SystemRandom } from '#platform';
import { checkSizes } from '../append-sizes.js';
import { StoredEvent, type Upcast } from '../codec.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '../envelope.js';
import {
  type AppendResult,
  type Batch,
  EventLog,
  type Expected,
  type LogHealth,
  LogUnavailable,
  type ReadAllOptions,
  type ReadOptions,
} from '../event-log.js';
import type { ContentKeys } from '../keys/content-keys.js';
import { type FeedLimits, LiveFeed } from '../live-feed.js';
import { logPages, NO_LIMIT, streamPages } from '../paging.js';
import { AllTail } from './all-tail.js';
import { Appender } from './appender.js';
import { boot, IDENTITY } from './boot.js';
import { type ConnectionTarget, readConnectionString } from './connection-string.js';
import { type EncodedAppend, EventEncoder } from './event-encoder.js';
import { OwnEvents } from './own-events.js';
import { PageAhead, type ReadPage } from './page-ahead.js';
import { PAGE_EVENTS, Reader } from './reader.js';
import { SharedRead } from './shared-read.js';
import { ServerChannel } from './server-channel.js';

export interface EsdbEventLogOptions {
  /** `esdb://…`, `esdb+discover://…`: credentials and TLS are taken from it, and never shown. */
  readonly connectionString: string;
  /** Of the streams on the server; in this program they go by their names without it. */
  readonly prefix?: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Absent: events that name a key can be neither written nor read. */
  readonly keys?: ContentKeys;
  readonly upcast?: Upcast;
  readonly feedLimits?: FeedLimits;
  /** An append without an answer for so long has an unknown outcome. */
  readonly appendTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** Gives up waiting for the server. */
  readonly signal?: AbortSignal;
  /** Told what keeps the log from being opened, each time that it is tried in vain. */
  readonly onWaiting?: (detail: string) => void;
}

const PREFIX = 'annals.';
const APPEND_TIMEOUT_MS = 10_000;
const READ_TIMEOUT_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
/** A subscription that is silent for so long is a fault and not a burst. */
const SILENCE_MS = 10_000;

/**
 * The log on an EventStoreDB. Owns one channel that appends, one that reads, and one live subscription to what all
 * processes append.
 * 1. Subscribers of a stream hear of an own append at its acknowledgement; subscribers of the whole log hear everything in
 *    the order of the server, from the subscription.
 * 2. At the acknowledgement only the position of an append's last event is known. Its earlier events bear it, too, until
 *    they are read: such a position is never before the event's own.
 * 3. Positions handed out are those of our own events, never of others on the server, so a checkpoint is not beyond the head.
 */
export class EsdbEventLog extends EventLog {
  override readonly exclusive = false;
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly encoder: EventEncoder;
  private readonly own: OwnEvents;
  private readonly tail: AllTail;
  private readonly feed: LiveFeed;
  private readonly ahead: PageAhead;
  private readonly clock: Clock;
  private readonly upcast: Upcast | undefined;
  private id = '';
  private acknowledged: Position = 0;
  private readonly lastOnServer = new SharedRead(() => this.reader.last());
  private isClosed = false;

  private constructor(
    private readonly target: ConnectionTarget,
    private readonly options: EsdbEventLogOptions,
  ) {
    super();
    const clock = (this.clock = options.clock ?? new SystemClock());
    const ports = { clock, random: options.random ?? new SystemRandom(), logger: options.logger };
    this.upcast = options.upcast;
    const { keys = null } = options;
    const prefix = options.prefix ?? PREFIX;
    const { scrub } = target;
    const connect = (): ServerChannel => new ServerChannel(target);
    const { appendTimeoutMs = APPEND_TIMEOUT_MS, readTimeoutMs = READ_TIMEOUT_MS } = options;
    const probeTimeoutMs = Math.min(PROBE_TIMEOUT_MS, appendTimeoutMs);
    this.appender = new Appender({ connect, prefix, appendTimeoutMs, probeTimeoutMs, scrub }, ports);
    this.reader = new Reader(
      { connect, prefix, hidden: prefix + IDENTITY, upcast: options.upcast, keys, readTimeoutMs, scrub },
      ports,
    );
    this.encoder = new EventEncoder(keys, (stream, revision) => this.reader.chain(stream, revision));
    this.own = new OwnEvents(prefix);
    keys?.onDestroyed((id) => {
      this.own.forget(id);
      this.feed.forget((event) => event.meta.keyId === id);
    });
    this.tail = new AllTail(
      this.reader,
      { heard: (events) => this.heard(events), broken: () => this.appender.suspect() },
      ports,
      { scrub, own: this.own, confirmTimeoutMs: readTimeoutMs },
    );
    this.ahead = new PageAhead((after, prefixes) => this.readPage(after, prefixes), clock);
    this.feed = new LiveFeed(
      {
        streamPage: (stream, after) => this.reader.stream(stream, after, false, NO_LIMIT),
        logPage: (after, prefixes) => this.logPage(after, prefixes, NO_LIMIT),
      },
      clock,
      options.feedLimits,
    );
  }

  /**
   * Waits for the server for as long as it takes, saying so.
   * @throws LogRefused for settings or a server that this program cannot use
   */
  static async open(options: EsdbEventLogOptions): Promise<EsdbEventLog> {
    const target = readConnectionString(options.connectionString);
    if (target.ignored.length > 0)
      options.logger.warn({ options: target.ignored }, 'options of EVENTSTORE_URL that have no effect');
    const log = new EsdbEventLog(target, options);
    try {
      await log.start();
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  override get logId(): string {
    return this.id;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    checkSizes(events);
    const made = this.encoder.encode(stream, events, options.expected);
    const encoded: EncodedAppend = 'events' in made ? made : await made;
    this.own.add(stream, events, encoded.events);
    const result = await this.appender.append(stream, encoded.events, options.expected);
    const isFresh = result.kind === 'appended' && result.position > this.acknowledgedUpTo;
    this.encoder.stored(stream, result, encoded, isFresh);
    if (result.kind === 'appended') this.tellStream(stream, events, result);
    return result;
  }

  override readStream(stream: string, options: ReadOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    return streamPages(options, ({ after, backwards, limit }) =>
      this.reader.stream(stream, after, backwards, limit),
    );
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<Batch> {
    return logPages(options, (after, limit) =>
      options.isRaw ? this.rawPage(after, limit) : this.logPage(after, [], limit),
    );
  }

  override subscribeStream(
    stream: string,
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

  /**
   * A read of one event, backwards, which callers that come together share. It is asked of the server because another
   * process may have appended, and projected, what this one has not heard of yet.
   */
  override async head(): Promise<Position> {
    return Math.max(await this.lastOnServer.read(), this.acknowledged, this.tail.heardUpTo);
  }

  override async health(): Promise<LogHealth> {
    const { silence } = this.tail;
    const at = `EventStoreDB at ${this.target.name}`;
    const { problem } = this.appender;
    if (problem !== undefined) return { ok: false, detail: this.isClosed ? problem : `${at}: ${problem}` };
    if (silence !== null && this.clock.now() - silence.since >= SILENCE_MS)
      return { ok: false, detail: `${at}: its subscription does not come back (${silence.detail})` };
    return { ok: true };
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.appender.close();
    this.tail.stop();
    this.feed.close();
    this.ahead.close();
    this.reader.close();
  }

  /** How often the server has ended the live subscription since the start. */
  get subscriptionDrops(): number {
    return this.tail.drops;
  }

  private get acknowledgedUpTo(): Position {
    return Math.max(this.acknowledged, this.tail.heardUpTo);
  }

  private async start(): Promise<void> {
    const { appender, reader, target, options, clock } = this;
    const ports = { clock, random: options.random ?? new SystemRandom(), logger: options.logger };
    const { logId, head } = await boot(
      {
        appender,
        reader,
        server: target.name,
        scrub: target.scrub,
        signal: options.signal,
        onWaiting: options.onWaiting,
      },
      ports,
    );
    this.id = logId;
    this.feed.startAfter(head);
    this.tail.start(head);
  }

  /** Invariant 1 and 2. */
  private tellStream(
    stream: string,
    events: readonly NewEvent[],
    result: Extract<AppendResult, { kind: 'appended' }>,
  ): void {
    const { first, position } = result;
    this.acknowledged = Math.max(this.acknowledged, position);
    // A repeat, perhaps with other content: what is stored has been heard.
    if (position <= this.tail.heardUpTo) return;
    const recorded = events.map(
      (event, i) => new StoredEvent(event, { stream, revision: first + i, position }, this.upcast),
    );
    this.feed.streamGrew(stream, recorded);
  }

  private heard(events: readonly StoredEvent[]): void {
    for (const [stream, ofStream] of Map.groupBy(events, (event) => event.stream))
      this.feed.streamGrew(stream, ofStream);
    this.feed.logGrew(events);
    this.feed.wake();
  }

  private async logPage(after: Position, prefixes: readonly string[], limit: number): Promise<Batch> {
    if (this.isClosed) throw new LogUnavailable('the log is closed');
    // Whoever wants a few events does not go on reading.
    const page =
      limit < PAGE_EVENTS ? this.readPage(after, prefixes, limit) : this.ahead.read(after, prefixes);
    return (await page).batch;
  }

  private async rawPage(after: Position, limit: number): Promise<Batch> {
    return (await this.readPage(after, [], limit, true)).batch;
  }

  private async readPage(
    after: Position,
    prefixes: readonly string[],
    limit = NO_LIMIT,
    isRaw = false,
  ): Promise<ReadPage> {
    // Known before the read, so everything up to it is seen by a read that finds the end.
    const known = Math.max(this.acknowledged, this.tail.heardUpTo);
    const { events, isEnd } = await this.reader.all(after, prefixes, limit, isRaw);
    const last = events.at(-1)?.position ?? after;
    // Invariant 3.
    const position = isEnd && prefixes.length > 0 ? Math.max(last, known) : last;
    return { batch: { events, position }, isEnd };
  }
}
