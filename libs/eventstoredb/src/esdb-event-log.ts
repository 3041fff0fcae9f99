import type { StreamName } from '#domain';
import { type Clock, type Logger, SystemClock, closeInOrder } from '#platform';
import {
  checkSizes,
  StoredEvent,
  type Upcast,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Revision,
  type AppendResult,
  type Batch,
  EventLog,
  type Expected,
  type LogHealth,
  type ReadAllOptions,
  type ReadOptions,
  type ContentKeys,
  type FeedLimits,
  LiveFeed,
  logPages,
  NO_LIMIT,
  streamPages,
  codeOf,
  openPage,
  type PageTerms,
  PAGE_EVENTS,
  type PageRequest,
  type HashBatch,
  hashPages,
} from '#event-log';
import { type HeardEvent, HeardEvents } from './heard-events.js';
import { PageAhead, type ReadPage } from './page-ahead.js';
import type { PageReply, Question } from './protocol.js';
import { SentEvents } from './sent-events.js';
import { type AnsweredAppend, ServerLink } from './server-link.js';
import { SharedRead } from './shared-read.js';

export interface EsdbEventLogOptions {
  /** `esdb://…`, `esdb+discover://…`: credentials and TLS are taken from it, and never shown. */
  readonly connectionString: string;
  /** Of the streams on the server; in this program they go by their names without it. */
  readonly prefix?: string;
  readonly logger: Logger;
  readonly clock?: Clock;
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
/** A subscription that is silent for so long is a fault and not a burst. */
const SILENCE_MS = 10_000;

/**
 * EventStoreDB adapter of EventLog. A worker thread speaks to the server (ServerSide); fan-out to subscribers happens
 * here.
 * 1. Stream subscribers get own appends when they are acknowledged; subscribers of the whole log get everything in
 *    the server's order, from the subscription.
 * 2. An acknowledgement only tells the position of an append's last event. Its earlier events carry it, too, until
 *    they are read: never lower than their own.
 */
export class EsdbEventLog extends EventLog {
  override readonly exclusive = false;
  private readonly link: ServerLink;
  private readonly sent: SentEvents;
  private readonly terms: PageTerms;
  private readonly hearing: HeardEvents;
  private readonly feed: LiveFeed;
  private readonly ahead: PageAhead;
  private readonly clock: Clock;
  private readonly taken = new Int32Array(new SharedArrayBuffer(4));
  private id = '';
  private server = '';
  private heardUpTo: Position = 0;
  private readonly lastOnServer = new SharedRead(() => this.askHead());
  private isClosed = false;

  private constructor(private readonly options: EsdbEventLogOptions) {
    super();
    const { keys = null, logger, upcast } = options;
    const clock = (this.clock = options.clock ?? new SystemClock());
    const { connectionString, prefix = PREFIX } = options;
    const { appendTimeoutMs = APPEND_TIMEOUT_MS, readTimeoutMs = READ_TIMEOUT_MS } = options;
    this.sent = new SentEvents(upcast);
    this.link = new ServerLink(
      { connectionString, prefix, appendTimeoutMs, readTimeoutMs, taken: this.taken },
      {
        sending: (append) => this.sent.add(append.stream, append.events),
        answered: (appends, forgotten) => this.answered(appends, forgotten),
        heard: (heard) => this.hearing.take(heard),
        waiting: (detail) => options.onWaiting?.(detail),
      },
      logger,
      keys,
    );
    this.terms = { keys, known: this.link.keys, upcast };
    this.hearing = new HeardEvents(this.sent, this.terms, { clock, logger }, (events) => this.heard(events));
    keys?.onDestroyed((id) => {
      this.link.keys.replace(id);
      this.sent.erase(id);
      this.feed.forget((event) => event.meta.keyId === id);
    });
    this.ahead = new PageAhead((after, prefixes) => this.readPage(after, prefixes), clock);
    this.feed = new LiveFeed(
      {
        streamPage: (stream, after) => this.streamPage(stream, { after, backwards: false, limit: NO_LIMIT }),
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
    const log = new EsdbEventLog(options);
    try {
      const { logId, head, server } = await log.link.opened(options.signal);
      log.id = logId;
      log.server = server;
      log.heardUpTo = head;
      log.feed.startAfter(head);
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  override get logId(): string {
    return this.id;
  }

  override append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      checkSizes(events);
      this.link.append({ stream, events, expected: codeOf(options.expected), resolve, reject });
    });
  }

  override readStream(
    stream: StreamName,
    options: ReadOptions = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    return streamPages(options, (page) => this.streamPage(stream, page, options.isRaw));
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<Batch> {
    return logPages(options, (after, limit) => this.logPage(after, [], limit, options.isRaw));
  }

  override readHashes(after: Position): AsyncIterable<HashBatch> {
    return hashPages(after, PAGE_EVENTS, (question) => this.page(question));
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

  /**
   * A read of one event, backwards, which callers that come together share. It is asked of the server because another
   * process may have appended, and projected, what this one has not heard of yet.
   */
  override head(): Promise<Position> {
    return this.lastOnServer.read();
  }

  override async health(): Promise<LogHealth> {
    const { problem, silence } = this.link.health;
    if (this.isClosed) return { ok: false, detail: 'the log is closed' };
    const at = `EventStoreDB at ${this.server}`;
    if (problem !== undefined) return { ok: false, detail: `${at}: ${problem}` };
    if (silence !== null && this.clock.now() - silence.since >= SILENCE_MS)
      return { ok: false, detail: `${at}: its subscription does not come back (${silence.detail})` };
    return { ok: true };
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await closeInOrder(
      () => this.link.close(),
      () => this.hearing.stop(),
      () => this.feed.close(),
      () => this.ahead.close(),
    );
  }

  /** How often the server has ended the live subscription since the start. */
  get subscriptionDrops(): number {
    return this.link.health.drops;
  }

  /** Invariant 1 and 2. */
  private answered(appends: readonly AnsweredAppend[], forgotten: readonly number[]): void {
    this.sent.forget(forgotten);
    for (const { append, first, result } of appends) {
      // A repeat, perhaps with other content: what is stored has been heard.
      if (result.kind === 'conflict' || result.position <= this.heardUpTo) continue;
      const { stream, events } = append;
      const { position } = result;
      const recorded = events.map(
        (event, i) =>
          new StoredEvent(event, { stream, revision: result.first + i, position }, this.options.upcast),
      );
      this.sent.told(first, recorded);
      this.feed.streamGrew(stream, recorded);
    }
  }

  private heard(heard: readonly HeardEvent[]): void {
    const events = heard.map(({ event }) => event);
    this.heardUpTo = events.at(-1)!.position;
    const untold = heard.filter(({ isTold }) => !isTold).map(({ event }) => event);
    for (const [stream, ofStream] of Map.groupBy(untold, (event) => event.stream))
      this.feed.streamGrew(stream, ofStream);
    this.feed.logGrew(events);
    this.feed.wake();
    Atomics.add(this.taken, 0, events.length);
  }

  private async streamPage(
    stream: StreamName,
    { after, backwards, limit }: Omit<PageRequest, 'seen'>,
    isRaw = false,
  ): Promise<readonly RecordedEvent[]> {
    const page = await this.page({ kind: 'stream', stream, after: after ?? null, backwards, limit, isRaw });
    return openPage(page, this.terms);
  }

  private async logPage(
    after: Position,
    prefixes: readonly string[],
    limit: number,
    isRaw = false,
  ): Promise<Batch> {
    // Whoever wants a few events does not go on reading.
    const goesOn = !isRaw && limit >= PAGE_EVENTS;
    return (await (goesOn ? this.ahead.read(after, prefixes) : this.readPage(after, prefixes, limit, isRaw)))
      .batch;
  }

  private async readPage(
    after: Position,
    prefixes: readonly string[],
    limit = NO_LIMIT,
    isRaw = false,
  ): Promise<ReadPage> {
    const page = await this.page({ kind: 'all', after, prefixes, limit, isRaw });
    return {
      batch: { events: await openPage(page, this.terms), position: page.position },
      isEnd: page.isEnd,
    };
  }

  private async page(question: Question): Promise<PageReply> {
    const answer = await this.link.ask(question);
    if (answer.kind !== 'page') throw new Error(`a page was asked for and ${answer.kind} came`);
    return answer;
  }

  private async askHead(): Promise<Position> {
    const answer = await this.link.ask({ kind: 'head' });
    if (answer.kind !== 'head') throw new Error(`the head was asked for and ${answer.kind} came`);
    return answer.position;
  }
}
