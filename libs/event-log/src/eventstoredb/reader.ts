import type { Clock, Logger } from '#platform';
import type { StoredEvent, Upcast } from '../codec.js';
import type { Position, Revision } from '../envelope.js';
import { LogUnavailable } from '../event-log.js';
import { describe, exceptionOf, isTooLate } from './answers.js';
import type { CallListener, GrpcCall } from './grpc/grpc-call.js';
import { endlessRead, filtered, streamRead, allRead } from './read-requests.js';
import type { ServerChannel } from './server-channel.js';
import { readAnswer, type ReadAnswer, storedEvent } from './server-answers.js';
import type { ReadReq } from './stubs.js';

export const PAGE_EVENTS = 500;
const PAGE_BYTES = 1024 * 1024;
/** A channel that did not answer in time is replaced, but no more often than this. */
const RENEW_MS = 5_000;

export interface ReaderOptions {
  readonly connect: () => ServerChannel;
  readonly prefix: string;
  /** A stream of the adapter's own, that nobody sees. */
  readonly hidden: string;
  readonly upcast: Upcast | undefined;
  readonly readTimeoutMs: number;
  readonly scrub: (text: string) => string;
}

interface Page {
  readonly events: StoredEvent[];
  /** Whether the server had no more. */
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
    stream: string,
    after: Revision | undefined,
    backwards: boolean,
    limit: number,
  ): Promise<StoredEvent[]> {
    const name = this.options.prefix + stream;
    const count = Math.min(limit, PAGE_EVENTS);
    const request = streamRead(name, after, backwards, count);
    const { events } = await this.page(request, count, (answer) => this.recordOf(answer));
    return events;
  }

  /** Of the streams with one of the prefixes. */
  async all(after: Position, prefixes: readonly string[], limit: number): Promise<Page> {
    const count = Math.min(limit, PAGE_EVENTS);
    // The first may be the one at `after` itself, for a read begins with its position, and one may be hidden.
    const request = filtered(allRead(after, false, count + 2), this.onServer(prefixes));
    return await this.page(request, count, (answer) => {
      const event = this.eventOf(answer);
      return event !== undefined && event.position > after ? event : undefined;
    });
  }

  /** Position of the last event, 0 where there is none. */
  async last(): Promise<Position> {
    const request = filtered(allRead('end', true, 2), [this.options.prefix]);
    const page = await this.page(request, 1, (answer) => this.eventOf(answer));
    return page.events[0]?.position ?? 0;
  }

  /** A subscription to all streams, that goes on until it is cancelled or dropped. */
  async follow(after: Position, listener: CallListener): Promise<GrpcCall> {
    this.refuseWhenClosed();
    return await this.channel.read(filtered(endlessRead(after), [this.options.prefix]), Infinity, listener);
  }

  /** The event in an answer; undefined where the answer is something else, or the event is not for anybody. */
  eventOf(answer: ReadAnswer): StoredEvent | undefined {
    return answer.record?.stream === this.options.hidden ? undefined : this.recordOf(answer);
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

  private async page(
    request: ReadReq,
    limit: number,
    read: (answer: ReadAnswer) => StoredEvent | undefined,
  ): Promise<Page> {
    this.refuseWhenClosed();
    try {
      const gathering = new Gathering(limit, read);
      gathering.call = await this.channel.read(request, this.options.readTimeoutMs, gathering);
      return await gathering.page;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      if (exceptionOf(error) === 'stream-not-found') return { events: [], isEnd: true };
      if (isTooLate(error)) this.renew();
      throw new LogUnavailable(`the log cannot be read: ${this.options.scrub(describe(error))}`, {
        cause: error,
      });
    }
  }

  private recordOf(answer: ReadAnswer): StoredEvent | undefined {
    const { record } = answer;
    return record === null ? undefined : storedEvent(record, this.options.prefix, this.options.upcast);
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) throw new LogUnavailable('the log is closed');
  }
}

/** The answers to one read, until there are enough. Owns its call. */
class Gathering implements CallListener {
  call: GrpcCall | null = null;
  readonly page: Promise<Page>;
  private settle!: { resolve(page: Page): void; reject(error: Error): void };
  private readonly events: StoredEvent[] = [];
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly read: (answer: ReadAnswer) => StoredEvent | undefined,
  ) {
    this.page = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    // Who asked may not be waiting yet.
    this.page.catch(() => undefined);
  }

  messages(messages: readonly Buffer[]): void {
    const { events } = this;
    try {
      for (const message of messages) {
        const event = this.read(readAnswer(message));
        if (event === undefined) continue;
        this.bytes += event.json.length;
        if (events.push(event) >= this.limit || this.bytes >= PAGE_BYTES)
          return this.over(() => this.settle.resolve({ events, isEnd: false }));
      }
    } catch (error) {
      this.over(() => this.settle.reject(error as Error));
    }
  }

  ended(error: Error | null): void {
    if (error === null) this.settle.resolve({ events: this.events, isEnd: true });
    else this.settle.reject(error);
  }

  private over(settle: () => void): void {
    settle();
    this.call?.cancel();
  }
}
