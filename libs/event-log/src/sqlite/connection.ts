import type { Logger } from '#platform';
import type { ContentKeys } from '../sealing/content-keys.js';
import { AppendOutcomeUnknown, LogRefused, LogUnavailable, type AppendResult } from '../event-log.js';
import { KnownKeys } from '../thread/known-keys.js';
import type { Page } from '../thread/page-rows.js';
import { Numbered } from '../thread/numbered.js';
import { encodeAppends, keysOf, type PendingAppend } from '../thread/pending-append.js';
import { LogThread } from './log-thread.js';
import { DAMAGED } from './protocol.js';
import type { ReadAllRequest, ReadStreamRequest, Reply, Request, ThreadOptions } from './protocol.js';

const REOPEN_PAUSE_MS = 1_000;
const MAX_WAITING = 50_000;

export interface ConnectionEvents {
  /** Appends of one transaction in commit order, before their callers are answered. */
  committed(appends: readonly PendingAppend[], outcomes: readonly number[]): void;
  /** The file was reopened, and may hold appends up to `head` that were never acknowledged. */
  reopened(head: number): void;
  /** A write failed because the disk is full; the thread restarts when the promise resolves. */
  full(): Promise<void>;
}

/**
 * The main thread's side of the log's worker thread, across its restarts. Owns the thread and all pending
 * requests.
 * 1. Appends are answered in the order sent, so they need no ids.
 * 2. When the thread dies, appends sent have an unknown outcome; unsent ones go to the next thread, or are
 *    refused when the file cannot be reopened at once.
 */
export class Connection {
  logId = '';
  head = 0;
  private thread: LogThread | null = null;
  private state: 'opening' | 'open' | 'down' | 'closing' | 'closed' = 'opening';
  private trouble = '';
  private isFull = false;
  private failure: string | undefined;
  private unsent: PendingAppend[] = [];
  private readonly sent = new Numbered<PendingAppend>();
  private readonly reads = new Map<
    number,
    { request: Request; resolve(page: Page): void; reject(e: Error): void }
  >();
  private readCount = 0;
  private isFlushing = false;
  private onOpened: { resolve(): void; reject(error: Error): void } | null = null;
  private onClosed: (() => void) | null = null;
  private retry: NodeJS.Timeout | undefined;
  /** Keys that the thread has. */
  readonly keys: KnownKeys;

  constructor(
    private readonly options: ThreadOptions,
    private readonly events: ConnectionEvents,
    private readonly logger: Logger,
    keys: ContentKeys | null,
  ) {
    this.keys = new KnownKeys(keys, (request) => this.post(request));
  }

  /** Why the log cannot be written, if so. */
  get problem(): string | undefined {
    return this.state === 'open' || this.state === 'opening'
      ? undefined
      : this.trouble || `the log is ${this.state}`;
  }

  /** Error of the last transaction; undefined after a success. */
  get lastFailure(): string | undefined {
    return this.failure;
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onOpened = { resolve, reject };
      this.start();
    });
  }

  append(append: PendingAppend): void {
    const refusal = this.refusal();
    if (refusal !== undefined) return append.reject(new LogUnavailable(refusal));
    this.unsent.push(append);
    if (this.isFlushing || this.state !== 'open') return;
    this.isFlushing = true;
    // What is appended by the callback under way, and by what it resolves, travels together.
    process.nextTick(this.flush);
  }

  read(request: Omit<ReadStreamRequest, 'read'> | Omit<ReadAllRequest, 'read'>): Promise<Page> {
    if (this.state !== 'open' && this.state !== 'opening')
      return Promise.reject(new LogUnavailable(this.problem ?? 'the log is not open'));
    return new Promise((resolve, reject) => {
      const numbered = { ...request, read: (this.readCount += 1) };
      this.reads.set(numbered.read, { request: numbered, resolve, reject });
      if (this.state === 'open') this.post(numbered);
    });
  }

  /** Awaits appends in flight. */
  async close(): Promise<void> {
    clearTimeout(this.retry);
    if (this.state === 'open') {
      this.flush();
      this.state = 'closing';
      await new Promise<void>((resolve) => {
        this.onClosed = resolve;
        this.post({ kind: 'close' });
      });
    }
    this.state = 'closed';
    this.trouble = 'the log is closed';
    this.refuseWaiting();
    await this.thread?.terminate();
  }

  private refusal(): string | undefined {
    if (this.unsent.length + this.sent.size >= MAX_WAITING) return `${MAX_WAITING} appends wait already`;
    return this.problem;
  }

  private readonly flush = (): void => {
    this.isFlushing = false;
    if (this.state !== 'open' || this.unsent.length === 0) return;
    const appends = this.unsent.filter((append) => this.keys.canSeal(append));
    this.unsent = [];
    if (appends.length === 0) return;
    for (const append of appends) this.sent.add(append);
    this.post(encodeAppends(appends, this.keys.toGive(keysOf(appends))));
  };

  private post(request: Request): void {
    this.thread?.send(request);
  }

  private start(): void {
    this.keys.clear();
    this.thread = new LogThread(this.options, {
      reply: (message) => this.take(message),
      ended: (reason) => this.ended(reason),
    });
  }

  private take(reply: Reply): void {
    switch (reply.kind) {
      case 'appended':
        return this.answer(reply.outcomes);
      case 'page':
        return this.taken(reply.read)?.resolve(reply);
      case 'unreadable':
        this.logger.error({ detail: reply.detail }, 'a part of the log cannot be read');
        return this.taken(reply.read)?.reject(new LogUnavailable(reply.detail));
      case 'opened':
        return this.opened(reply.logId, reply.head);
      case 'refused':
        this.trouble = reply.detail;
        return;
      case 'failed':
        this.trouble = reply.detail;
        this.isFull = reply.full;
        this.failure = reply.detail;
        return;
      case 'closed':
        return this.onClosed?.();
    }
  }

  private taken(id: number) {
    const read = this.reads.get(id);
    this.reads.delete(id);
    return read;
  }

  private answer(outcomes: readonly number[]): void {
    this.failure = undefined;
    const appends: PendingAppend[] = [];
    for (let i = 0; i < outcomes.length; i += 2) appends.push(this.sent.shift()!);
    this.events.committed(appends, outcomes);
    for (const [i, append] of appends.entries()) {
      const [first, second] = [outcomes[i * 2]!, outcomes[i * 2 + 1]!];
      if (first === DAMAGED) this.refuseDamaged(append);
      else append.resolve(resultOf(first, second, append.events.length));
    }
  }

  private refuseDamaged(append: PendingAppend): void {
    const { stream } = append;
    this.logger.error({ stream }, 'nothing can be appended: the last event of the stream cannot be read');
    append.reject(new LogUnavailable(`the last event of ${stream} cannot be read`));
  }

  private opened(logId: string, head: number): void {
    this.logId = logId;
    this.head = head;
    this.trouble = '';
    if (this.state === 'closed') return;
    this.state = 'open';
    if (this.onOpened === null) this.events.reopened(head);
    else this.onOpened.resolve();
    this.onOpened = null;
    for (const { request } of this.reads.values()) this.post(request);
    this.flush();
  }

  private ended(reason: string): void {
    this.thread = null;
    this.trouble ||= reason;
    const error = new AppendOutcomeUnknown(this.trouble);
    for (const append of this.sent.drain()) append.reject(error);
    if (this.state === 'closing' || this.state === 'closed') return this.onClosed?.();
    if (this.onOpened !== null) {
      this.state = 'closed';
      return this.onOpened.reject(new LogRefused(this.trouble));
    }
    this.logger.error({ detail: this.trouble }, 'the log failed and is reopened');
    if (this.state === 'open') void this.reopen();
    else this.reopenLater();
  }

  private async reopen(): Promise<void> {
    this.state = 'opening';
    const { isFull } = this;
    this.isFull = false;
    if (isFull) await this.events.full();
    if (this.state === 'opening') this.start();
  }

  /** The file could not be reopened: refuse requests, and retry until it can be. */
  private reopenLater(): void {
    this.state = 'down';
    this.refuseWaiting();
    this.retry = setTimeout(() => this.start(), REOPEN_PAUSE_MS).unref();
  }

  private refuseWaiting(): void {
    const error = new LogUnavailable(this.trouble);
    for (const append of this.unsent.splice(0)) append.reject(error);
    for (const read of this.reads.values()) read.reject(error);
    this.reads.clear();
  }
}

function resultOf(first: number, second: number, count: number): AppendResult {
  if (first < 0) return { kind: 'conflict', actual: second };
  return { kind: 'appended', first, last: first + count - 1, position: second };
}
