import { compiledFile, type Logger } from '#platform';
import {
  type AppendResult,
  AppendOutcomeUnknown,
  EventTooLarge,
  LogRefused,
  LogUnavailable,
  ContentErased,
  type ContentKeys,
  KnownKeys,
  Numbered,
  encodeAppends,
  keysOf,
  type PendingAppend,
  startThread,
  type Thread,
} from '#event-log';
import type {
  AnsweredReply,
  Failure,
  HealthReply,
  HeardReply,
  Question,
  Reply,
  Request,
  ThreadOptions,
} from './protocol.js';

const MAX_WAITING = 50_000;
/** Appends that do not wait for more: while the thread works on them, others are made. */
const GATHERED = 16;
/** Its garbage is text that comes and goes. */
const YOUNG_MB = 48;

export interface LinkEvents {
  /** An append goes to the thread next. Returns the number of its first event since the start. */
  sending(append: PendingAppend): number;
  /** Outcomes, before their callers hear of them. */
  answered(appends: readonly AnsweredAppend[], forgotten: readonly number[]): void;
  heard(heard: HeardReply): void;
  waiting(detail: string): void;
}

interface SentAppend {
  readonly append: PendingAppend;
  /** Number of its first event. */
  readonly first: number;
}

export interface AnsweredAppend extends SentAppend {
  readonly result: AppendResult;
}

type Answer = Extract<Reply, { readonly read: number }>;

/**
 * Main thread's side of the adapter's worker thread. Owns the thread and all pending requests.
 * 1. Each append and each request is answered once.
 * 2. The thread ends when told to. If it ends by itself that is a bug, which ends the process as it would without a
 *    thread.
 */
export class ServerLink {
  readonly keys: KnownKeys;
  health: HealthReply = { kind: 'health', problem: undefined, silence: null, drops: 0 };
  private readonly thread: Thread;
  private unsent: PendingAppend[] = [];
  private isFlushing = false;
  private readonly sent = new Numbered<SentAppend>();
  private readonly questions = new Numbered<{ resolve(answer: Answer): void; reject(e: Error): void }>();
  private isClosed = false;
  private opening: { resolve(opened: Opened): void; reject(error: Error): void } | null = null;
  private isRefused = false;
  private readonly over = Promise.withResolvers<void>();

  constructor(
    options: ThreadOptions,
    private readonly events: LinkEvents,
    private readonly logger: Logger,
    keys: ContentKeys | null,
  ) {
    this.keys = new KnownKeys(keys, (request) => this.post(request));
    this.thread = startThread<ThreadOptions, Reply>(
      {
        program: compiledFile('./thread.js', import.meta.url),
        name: 'annals-esdb',
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
      options,
      { reply: (reply) => this.take(reply), ended: (reason) => this.ended(reason) },
    );
  }

  /** @throws LogRefused */
  opened(signal: AbortSignal | undefined): Promise<Opened> {
    return new Promise((resolve, reject) => {
      this.opening = { resolve, reject };
      const giveUp = (): void => this.post({ kind: 'give up' });
      if (signal?.aborted) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  append(append: PendingAppend): void {
    if (this.isClosed) return append.reject(new LogUnavailable('the log is closed'));
    if (this.unsent.length + this.sent.size >= MAX_WAITING)
      return append.reject(new LogUnavailable(`${MAX_WAITING} appends wait already`));
    this.unsent.push(append);
    if (this.unsent.length >= GATHERED) return this.flush();
    if (this.isFlushing) return;
    this.isFlushing = true;
    // What is appended by the callback under way, and by what it resolves, travels together. An idle server is given it at
    // once; a busy one later, but then with everything else of this turn of the event loop, or as many as are worth their way.
    if (this.sent.size === 0) process.nextTick(this.flush);
    else setImmediate(this.flush);
  }

  /** @throws LogUnavailable */
  ask(question: Question): Promise<Answer> {
    if (this.isClosed) return Promise.reject(new LogUnavailable('the log is closed'));
    return new Promise((resolve, reject) => {
      this.post({ read: this.questions.add({ resolve, reject }), ...question });
    });
  }

  /** Waits for the appends under way. */
  async close(): Promise<void> {
    this.flush();
    this.isClosed = true;
    this.post({ kind: 'close' });
    await this.over.promise;
    await this.thread.terminate();
    const unknown = new AppendOutcomeUnknown('the log was closed');
    for (const { append } of this.sent.drain()) append.reject(unknown);
    const unavailable = new LogUnavailable('the log is closed');
    for (const question of this.questions.drain()) question.reject(unavailable);
  }

  private readonly flush = (): void => {
    this.isFlushing = false;
    if (this.unsent.length === 0) return;
    const appends = this.unsent.filter((append) => this.keys.canSeal(append));
    this.unsent = [];
    if (appends.length === 0) return;
    for (const append of appends) this.sent.add({ append, first: this.events.sending(append) });
    this.post(encodeAppends(appends, this.keys.toGive(keysOf(appends))));
  };

  private post(request: Request): void {
    this.thread.port.postMessage(request);
  }

  private take(reply: Reply): void {
    switch (reply.kind) {
      case 'answered':
        return this.answered(reply);
      case 'heard':
        return this.events.heard(reply);
      case 'page':
      case 'head':
        return this.questions.take(reply.read)?.resolve(reply);
      case 'unreadable':
        return this.questions.take(reply.read)?.reject(errorOf(reply.failure));
      case 'health':
        this.health = reply;
        return;
      case 'said':
        return this.logger[reply.level](reply.fields, reply.message);
      case 'waiting':
        return this.events.waiting(reply.detail);
      case 'opened':
        return this.opening?.resolve(reply);
      case 'refused':
        this.isRefused = true;
        return this.opening?.reject(errorOf(reply.failure));
      case 'closed':
        return this.over.resolve();
    }
  }

  /** Invariant 1. */
  private answered({ outcomes, failures, forgotten }: AnsweredReply): void {
    const answered: AnsweredAppend[] = [];
    for (let i = 0; i < outcomes.length; i += 3) {
      const sent = this.sent.take(outcomes[i]!)!;
      const result = resultOf(outcomes[i + 1]!, outcomes[i + 2]!, sent.append.events.length);
      answered.push({ ...sent, result });
    }
    this.events.answered(answered, forgotten);
    for (const { append, result } of answered) append.resolve(result);
    for (const failure of failures) this.sent.take(failure.append)?.append.reject(errorOf(failure));
  }

  /** Invariant 2. */
  private ended(reason: string): void {
    this.over.resolve();
    if (!this.isClosed && !this.isRefused) throw new Error(`the thread of EventStoreDB ended: ${reason}`);
  }
}

export type Opened = Extract<Reply, { readonly kind: 'opened' }>;

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  AppendOutcomeUnknown,
  ContentErased,
  EventTooLarge,
  LogRefused,
  LogUnavailable,
  RangeError,
};

function errorOf({ name, message }: Failure): Error {
  const Known = ERRORS[name];
  return Known === undefined ? new Error(`${name}: ${message}`) : new Known(message);
}

function resultOf(first: number, second: number, count: number): AppendResult {
  if (first < 0) return { kind: 'conflict', actual: second };
  return { kind: 'appended', first, last: first + count - 1, position: second };
}
