import type { StreamName } from '#domain';
import type { Clock, Logger } from '#platform';
import {
  decodeRows,
  type StoredEvent,
  type Position,
  type Revision,
  LogUnavailable,
  StreamChain,
  type Page,
  PAGE_BYTES,
  PAGE_EVENTS,
  PageRows,
  type ThreadKeys,
  type RawWish,
} from '#event-log';
import { checkedNumber, describe, exceptionOf, isTooLate } from './answers.js';
import type { CallListener, GrpcCall } from './grpc/grpc-call.js';
import { endlessRead, filtered, streamRead, allRead } from './read-requests.js';
import type { ServerChannel } from './server-channel.js';
import { readAnswer, type ReadAnswer, type ServerRecord } from './server-answers.js';
import type { ReadReq } from './stubs.js';
import { rowOf } from './wire-event.js';

/** A channel that did not answer in time is replaced, but no more often than this. */
const RENEW_MS = 5_000;

export interface ReaderOptions {
  readonly connect: () => ServerChannel;
  readonly prefix: string;
  /** A stream of the adapter's own, that nobody sees. */
  readonly hidden: string;
  readonly keys: ThreadKeys;
  readonly readTimeoutMs: number;
  readonly scrub: (text: string) => string;
}

interface FoundPage {
  readonly page: Page;
  /** Whether the server had no more. */
  readonly isEnd: boolean;
}

interface RecordPage {
  readonly records: readonly ServerRecord[];
  readonly isEnd: boolean;
}

/** Reads pages, bounded in count and bytes. Owns the channel for reading. */
export class Reader {
  private channel: ServerChannel;
  private renewedAt: number;
  private isClosed = false;

  constructor(
    private readonly options: ReaderOptions,
    private readonly ports: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.channel = options.connect();
    this.renewedAt = ports.clock.now();
  }

  async stream(
    stream: StreamName,
    after: Revision | undefined,
    backwards: boolean,
    limit: number,
    isRaw = false,
  ): Promise<FoundPage> {
    const name = this.options.prefix + stream;
    const count = Math.min(limit, PAGE_EVENTS);
    const request = streamRead(name, after, backwards, count);
    // The server ends such a read by itself; to cancel it would cost a reset, and of many of those it gives up.
    const { records, isEnd } = await this.records(request, Infinity, (answer) => answer.record ?? undefined);
    return { page: this.rows(records, 0, isRaw), isEnd };
  }

  /** Of the streams with one of the prefixes. */
  async all(
    after: Position,
    prefixes: readonly string[],
    limit: number,
    isRaw: RawWish = false,
  ): Promise<FoundPage> {
    const count = Math.min(limit, PAGE_EVENTS);
    // The first may be the one at `after` itself, for a read begins with its position, and one may be hidden.
    const request = filtered(allRead(after, false, count + 2), this.onServer(prefixes));
    const { records, isEnd } = await this.records(request, count, (answer) => {
      const record = this.recordOf(answer);
      return record !== undefined && checkedNumber(record.position) > after ? record : undefined;
    });
    return { page: this.rows(records, after, isRaw), isEnd };
  }

  /** Position of the last event, 0 where there is none. */
  async last(): Promise<Position> {
    const request = filtered(allRead('end', true, 2), [this.options.prefix]);
    const { records } = await this.records(request, 1, (answer) => this.recordOf(answer));
    return checkedNumber(records[0]?.position ?? 0);
  }

  /** The chain of a stream up to a revision, from as few events as it takes; null where that event is not seen. */
  async chain(stream: StreamName, revision: Revision): Promise<StreamChain | null> {
    const loose: StoredEvent[] = [];
    for (let before = revision + 1, count = 1; before > 0; count = PAGE_EVENTS) {
      const { page } = await this.stream(stream, before, true, count, true);
      const events = decodeRows(page);
      if (events[0]?.revision !== before - 1) return null;
      for (const event of events) {
        loose.push(event);
        if (event.raw?.prev !== '') before = 0;
        if (before === 0) break;
      }
      if (before > 0) before = events.at(-1)!.revision;
    }
    const chain = new StreamChain(stream);
    for (const event of loose.reverse()) chain.push(event, event.raw!);
    return chain;
  }

  /** A subscription to all streams, that goes on until it is cancelled or dropped. */
  async follow(after: Position, listener: CallListener): Promise<GrpcCall> {
    this.refuseWhenClosed();
    return await this.channel.read(filtered(endlessRead(after), [this.options.prefix]), Infinity, listener);
  }

  /** What an answer holds; undefined where it is something else, or nothing for anybody. */
  recordOf({ record }: ReadAnswer): ServerRecord | undefined {
    return record === null || record.stream === this.options.hidden ? undefined : record;
  }

  /** The records as rows. @param after where the reading began @throws RangeError */
  rows(records: readonly ServerRecord[], after: Position, isRaw: RawWish = false): Page {
    const rows = new PageRows(this.options.keys, after, isRaw);
    for (const record of records) {
      const { row, stream } = rowOf(record, this.options.prefix);
      rows.add(row, stream);
    }
    return rows.page;
  }

  close(): void {
    this.isClosed = true;
    this.channel.close();
  }

  /** What was asked for got no answer in time: the next try has a connection of its own. */
  renew(): void {
    const now = this.ports.clock.now();
    if (this.isClosed || now - this.renewedAt < RENEW_MS) return;
    this.renewedAt = now;
    const old = this.channel;
    this.channel = this.options.connect();
    this.ports.logger.warn({}, 'reads got no answer: the connection for reading is replaced');
    old.close();
  }

  private onServer(prefixes: readonly string[]): string[] {
    const { prefix } = this.options;
    return prefixes.length === 0 ? [prefix] : prefixes.map((wanted) => prefix + wanted);
  }

  private async records(
    request: ReadReq,
    limit: number,
    read: (answer: ReadAnswer) => ServerRecord | undefined,
  ): Promise<RecordPage> {
    this.refuseWhenClosed();
    try {
      const readCall = new ReadCall(limit, read);
      readCall.call = await this.channel.read(request, this.options.readTimeoutMs, readCall);
      return await readCall.page;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      if (exceptionOf(error) === 'stream-not-found') return { records: [], isEnd: true };
      if (isTooLate(error)) this.renew();
      throw new LogUnavailable(`the log cannot be read: ${this.options.scrub(describe(error))}`, {
        cause: error,
      });
    }
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) throw new LogUnavailable('the log is closed');
  }
}

/** The answers to one read, until there are enough. Owns its call. */
class ReadCall implements CallListener {
  call: GrpcCall | null = null;
  readonly page: Promise<RecordPage>;
  private settle!: { resolve(page: RecordPage): void; reject(error: Error): void };
  private readonly records: ServerRecord[] = [];
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly read: (answer: ReadAnswer) => ServerRecord | undefined,
  ) {
    this.page = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    // Who asked may not be waiting yet.
    this.page.catch(() => undefined);
  }

  messages(messages: readonly Buffer[]): void {
    const { records } = this;
    try {
      for (const message of messages) {
        const record = this.read(readAnswer(message));
        if (record === undefined) continue;
        this.bytes += record.data.length;
        if (records.push(record) >= this.limit || this.bytes >= PAGE_BYTES)
          return this.over(() => this.settle.resolve({ records, isEnd: false }));
      }
    } catch (error) {
      this.over(() => this.settle.reject(error as Error));
    }
  }

  ended(error: Error | null): void {
    if (error === null) this.settle.resolve({ records: this.records, isEnd: true });
    else this.settle.reject(error);
  }

  private over(settle: () => void): void {
    settle();
    this.call?.cancel();
  }
}
