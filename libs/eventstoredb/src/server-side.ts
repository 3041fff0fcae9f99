import type { Clock, Random } from '#platform';
import {
  type Position,
  type AppendResult,
  AppendOutcomeUnknown,
  type AppendRequest,
  ThreadKeys,
} from '#event-log';
import { AllTail } from './all-tail.js';
import { Appender } from './appender.js';
import { boot, IDENTITY } from './boot.js';
import { type ConnectionTarget, readConnectionString } from './connection-string.js';
import { type EncodedAppend, EventEncoder } from './event-encoder.js';
import { OwnEvents } from './own-events.js';
import type { HealthReply, ReadRequest, Reply, Request, ThreadOptions } from './protocol.js';
import { Reader } from './reader.js';
import { failureOf, AppendOutcomes, ReplyLogger } from './replies.js';
import { type SentAppend, sentAppends } from './sent-append.js';
import type { ServerRecord } from './server-answers.js';
import { ServerChannel } from './server-channel.js';

const PROBE_TIMEOUT_MS = 5_000;
/** Heard events that the other side may have before it; then the subscription is held until half of them are taken. */
const MAX_AHEAD = 10_000;
const HELD_LOOK_MS = 5;

/** An append between its request and its outcome, by its number and that of its first event since the start. */
interface Numbered extends SentAppend {
  readonly append: number;
  readonly first: number;
}

/**
 * Worker-thread side of the adapter: speaks to the server, encodes and decodes events. Owns a channel for appends,
 * one for reads, the one live subscription, the ends of the streams' hash chains, and own appends not yet received
 * back.
 * 1. Every event after the head at the start is reported once, in the server's order.
 * 2. Each append is answered once.
 */
export class ServerSide {
  private readonly target: ConnectionTarget;
  private readonly keys = new ThreadKeys();
  private readonly own = new OwnEvents();
  private readonly outcomes: AppendOutcomes;
  private readonly logger: ReplyLogger;
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly encoder: EventEncoder;
  private readonly tail: AllTail;
  private readonly givingUp = new AbortController();
  private acknowledged: Position = 0;
  private appends = 0;
  private events = 0;
  private told = 0;
  private health: HealthReply = { kind: 'health', problem: undefined, silence: null, drops: 0 };

  /** @throws LogRefused for settings that nothing can be done with */
  constructor(
    private readonly options: ThreadOptions,
    private readonly ports: { readonly clock: Clock; readonly random: Random },
    private readonly reply: (reply: Reply) => void,
  ) {
    const { scrub } = (this.target = readConnectionString(options.connectionString));
    const { prefix, appendTimeoutMs, readTimeoutMs } = options;
    const logger = (this.logger = new ReplyLogger(reply));
    this.outcomes = new AppendOutcomes(reply, () => this.own.takeForgotten());
    const connect = (): ServerChannel => new ServerChannel(this.target);
    const changed = (): void => this.tellHealth();
    const probeTimeoutMs = Math.min(PROBE_TIMEOUT_MS, appendTimeoutMs);
    this.appender = new Appender(
      { connect, prefix, appendTimeoutMs, probeTimeoutMs, scrub, changed },
      { ...ports, logger },
    );
    const { keys } = this;
    this.reader = new Reader(
      { connect, prefix, hidden: prefix + IDENTITY, keys, readTimeoutMs, scrub },
      { ...ports, logger },
    );
    this.encoder = new EventEncoder(keys, this.own, (stream, revision) =>
      this.reader.chain(stream, revision),
    );
    this.tail = new AllTail(
      this.reader,
      { heard: (records) => this.heard(records), broken: () => this.appender.suspect(), changed },
      { ...ports, logger },
      { scrub, confirmTimeoutMs: readTimeoutMs },
    );
  }

  /** Waits for the server for as long as it takes, saying so. */
  async open(): Promise<void> {
    const { target, appender, reader, logger, ports } = this;
    const { name: server, scrub, ignored } = target;
    if (ignored.length > 0)
      logger.warn({ options: ignored }, 'options of EVENTSTORE_URL that have no effect');
    const onWaiting = (detail: string): void => this.reply({ kind: 'waiting', detail });
    try {
      const { logId, head } = await boot(
        { appender, reader, server, scrub, signal: this.givingUp.signal, onWaiting },
        { ...ports, logger },
      );
      this.reply({ kind: 'opened', logId, head, server });
      this.tail.start(head);
    } catch (error) {
      this.reply({ kind: 'refused', failure: failureOf(error) });
    }
  }

  take(request: Request): void {
    switch (request.kind) {
      case 'append':
        return this.append(request);
      case 'keys':
        return this.keys.learn(request.keys);
      case 'forget':
        this.keys.forget(request.ids);
        return this.own.forgetSealedWith(request.ids);
      case 'give up':
        return this.givingUp.abort();
      case 'close':
        return void this.close();
      case 'stream':
      case 'all':
      case 'head':
        return void this.read(request);
    }
  }

  private append(request: AppendRequest): void {
    this.keys.learn(request.keys);
    for (const sent of sentAppends(request, this.keys)) {
      const numbered = { ...sent, append: this.appends, first: this.events };
      this.appends += 1;
      this.events += sent.events.length;
      this.encode(numbered);
    }
  }

  private encode(sent: Numbered): void {
    const { stream, events, expected } = sent;
    const failed = (error: unknown): void => this.failed(sent, error);
    try {
      const made = this.encoder.encode(stream, events, expected);
      if ('events' in made) this.send(sent, made, failed);
      else void made.then((encoded) => this.send(sent, encoded, failed), failed);
    } catch (error) {
      failed(error);
    }
  }

  private send(sent: Numbered, encoded: EncodedAppend, failed: (error: unknown) => void): void {
    const { stream, events, expected, first } = sent;
    this.own.add(this.options.prefix + stream, events, encoded.events, first);
    const storing = this.appender.append(stream, encoded.events, expected);
    void storing.then((result) => this.settled(sent, encoded, result), failed);
  }

  private settled(sent: Numbered, encoded: EncodedAppend, result: AppendResult): void {
    const { stream, events, append, first } = sent;
    const isFresh = result.kind === 'appended' && result.position > this.knownUpTo;
    this.encoder.stored(stream, result, encoded, isFresh);
    if (result.kind === 'appended') this.acknowledged = Math.max(this.acknowledged, result.position);
    else this.own.refused(events, first);
    this.outcomes.settled(append, result);
  }

  private failed({ events, append, first }: Numbered, error: unknown): void {
    // Of an unknown outcome something may be heard yet.
    if (!(error instanceof AppendOutcomeUnknown)) this.own.refused(events, first);
    this.outcomes.failed(append, error);
  }

  /** Nothing after it has been heard of. */
  private get knownUpTo(): Position {
    return Math.max(this.acknowledged, this.tail.heardUpTo);
  }

  /** Invariant 1. */
  private heard(records: readonly ServerRecord[]): void {
    const own: number[] = [];
    const others: ServerRecord[] = [];
    for (const record of records) {
      const number = this.own.take(record);
      if (number === null) others.push(record);
      else own.push(number, record.revision, record.position);
    }
    const { rows, unknown } = this.reader.rows(others, 0);
    const forgotten = this.own.takeForgotten();
    this.reply({ kind: 'heard', own, rows, forgotten, ...(unknown && { unknown }) });
    this.told += records.length;
    if (this.ahead > MAX_AHEAD) this.hold();
  }

  /** Heard events that the other side has not taken yet. */
  private get ahead(): number {
    return (this.told - Atomics.load(this.options.taken, 0)) | 0;
  }

  private hold(): void {
    this.tail.hold(true);
    this.ports.clock.timer(HELD_LOOK_MS, () =>
      this.ahead > MAX_AHEAD / 2 ? this.hold() : this.tail.hold(false),
    );
  }

  private async read(request: ReadRequest): Promise<void> {
    try {
      this.reply(await this.answerTo(request));
    } catch (error) {
      this.reply({ kind: 'unreadable', read: request.read, failure: failureOf(error) });
    }
  }

  private async answerTo(request: ReadRequest): Promise<Reply> {
    const { read } = request;
    // Known before the read, so everything up to it is seen by a read that finds the end.
    const known = this.knownUpTo;
    if (request.kind === 'head')
      return { kind: 'head', read, position: Math.max(await this.reader.last(), this.knownUpTo) };
    if (request.kind === 'stream') {
      const { stream, after, backwards, limit, isRaw } = request;
      const { page, isEnd } = await this.reader.stream(stream, after ?? undefined, backwards, limit, isRaw);
      return { kind: 'page', read, ...page, isEnd };
    }
    const { after, prefixes, limit, isRaw } = request;
    const { page, isEnd } = await this.reader.all(after, prefixes, limit, isRaw);
    // Of our own events, never of others on the server: a checkpoint must not be beyond the head.
    const position = isEnd && prefixes.length > 0 ? Math.max(page.position, known) : page.position;
    return { kind: 'page', read, ...page, isEnd, position };
  }

  private tellHealth(): void {
    const { problem } = this.appender;
    const { silence, drops } = this.tail;
    const before = this.health;
    if (before.problem === problem && before.silence?.since === silence?.since && before.drops === drops)
      return;
    this.reply((this.health = { kind: 'health', problem, silence, drops }));
  }

  /** Waits for the appends under way. */
  private async close(): Promise<void> {
    await this.appender.close();
    this.tail.stop();
    this.reader.close();
    this.outcomes.tell();
    this.reply({ kind: 'closed' });
  }
}
