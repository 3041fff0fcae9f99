import {
  type AppendResult,
  AppendOutcomeUnknown,
  ContentErased,
  type ContentKeys,
  type Batch,
  EventLog,
  type Expected,
  LiveFeed,
  type LogHealth,
  LogUnavailable,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadOptions,
  type RecordedEvent,
  type Revision,
} from '#event-log';
import type { Clock } from '#platform';
import { checkSizes } from '../../../libs/event-log/src/append-sizes.js';
import { logPages, streamPages } from '../../../libs/event-log/src/paging.js';
import type { Owner } from '../engine/scheduler.js';
import { FeedPump } from './feed-pump.js';
import { type SimWorld, immortal, latency, strikes } from './sim-world.js';

/** An adapter gives up on an answer after this, as its own timer says. */
const SILENCE_MS = 20_000;
const PAGE_EVENTS = 500;
interface Call {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: Expected;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One worker's connection to the log of its world. Each call arrives, which has its effect, and is answered: two steps,
 * between which anything may happen, and each of which may fail.
 *
 * Reads of a log that is shared may be stale, but never below what this worker was told: the last revision of its own
 * appends, and the one that a conflict named; and the pages of one reading fit together. What fills a subscription is never older than the place from which on the
 * subscription hears what is new: an adapter has to see to that, or events are lost between the two.
 */
export class SimLog extends EventLog {
  override readonly logId = '5e11a1ed-0000-4000-8000-000000000000';
  override readonly exclusive: boolean;
  private readonly feed: LiveFeed;
  private readonly pump: FeedPump;
  private readonly floors = new Map<string, Revision>();
  /** What is on its way may arrive although the sender has died, unless the log is in the same process. */
  private readonly wire: Owner;
  private isClosed = false;
  private underWay = 0;
  private whenIdle: (() => void) | null = null;

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
    clock: Clock,
    keys: ContentKeys = world.store.keys,
  ) {
    super();
    this.exclusive = world.isExclusive;
    this.wire = world.isExclusive ? owner : immortal(`${owner.name} wire`);
    this.feed = new LiveFeed(
      {
        streamPage: (stream, after) =>
          this.page(stream, after < 0 ? undefined : after, { limit: PAGE_EVENTS, upTo: this.pump.position }),
        logPage: (after, prefixes) => this.logPage(after, prefixes, PAGE_EVENTS),
      },
      clock,
    );
    this.feed.startAfter(world.store.head);
    keys.onDestroyed((id) => this.feed.forget((event) => event.meta.keyId === id));
    this.pump = new FeedPump(world, owner, this.feed);
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    const { expected } = options;
    return new Promise<AppendResult>((resolve, reject) => {
      checkSizes(events);
      if (this.isClosed) throw new LogUnavailable('the log is closed');
      this.underWay++;
      const call: Call = {
        stream,
        events,
        expected,
        resolve: (result) => {
          this.settled();
          resolve(result);
        },
        reject: (error) => {
          this.settled();
          reject(error);
        },
      };
      if (this.world.flaw === 'shown_before_stored') this.pump.showEarly(stream, events);
      const label = `append ${stream}@${expected} ${events.map((event) => event.type).join(' ')}`;
      this.world.scheduler.after(this.wire, latency(this.world), label, () => this.arrive(call));
    });
  }

  override readStream(stream: string, options: ReadOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    return streamPages(options, (page) => this.page(stream, page.after, page));
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<Batch> {
    return logPages(options, (after, limit) => this.logPage(after, [], limit));
  }

  override subscribeStream(
    stream: string,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]> {
    const after = options.after ?? -1;
    const start = this.world.flaw === 'inclusive_resume' ? Math.max(-1, after - 1) : after;
    return this.feed.subscribeStream(stream, start, options.signal);
  }

  override subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch> {
    return this.feed.subscribeAll(options.after ?? 0, options.prefixes ?? [], options.signal);
  }

  override head(): Promise<Position> {
    return this.ask('head', () => this.world.store.head);
  }

  override health(): Promise<LogHealth> {
    return Promise.resolve(this.isClosed ? { ok: false, detail: 'closed' } : { ok: true });
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
    this.pump.close();
    this.feed.close();
  }

  private settled(): void {
    this.underWay--;
    if (this.underWay === 0) this.whenIdle?.();
  }

  private arrive(call: Call): void {
    const { world } = this;
    // What a dead worker had sent may be lost with its connection.
    if (!this.owner.isAlive && world.tape.chance(500)) return;
    if (world.scheduler.now < world.store.fullUntil)
      return this.refuse(call, new LogUnavailable('the disk is full'));
    if (!world.store.canSeal(call.events)) {
      world.marks.hit('append after its key');
      return this.refuse(call, new ContentErased('the key is destroyed'));
    }
    const { weather } = world;
    const fault = world.tape.pick('stored', [
      ['refused', weather.appendRefused],
      ['answer lost', weather.appendStoredAnswerLost],
      ['lost', weather.appendLost],
      ['late', this.exclusive ? 0 : weather.appendZombie],
      ['silent', weather.appendSilent],
    ]);
    if (fault !== 'stored') world.marks.hit(`append ${fault}`);
    switch (fault) {
      case 'refused':
        return this.refuse(call, new LogUnavailable('busy'));
      case 'lost':
        return this.giveUp(call, 0);
      case 'late':
        world.scheduler.after(this.wire, 1 + world.tape.choose(30_000), `late ${call.stream}`, () => {
          if (world.store.canSeal(call.events)) this.store(call);
        });
        return this.giveUp(call, 0);
      case 'answer lost':
        this.store(call);
        return this.giveUp(call, 0);
      case 'silent':
        if (world.tape.choose(2) === 0) this.store(call);
        return this.giveUp(call, SILENCE_MS);
      default:
        return this.answer(call, this.store(call));
    }
  }

  private store({ stream, events, expected }: Call): AppendResult {
    const { store, marks } = this.world;
    const before = store.head;
    const result = store.append(stream, events, expected);
    if (result.kind === 'conflict') marks.hit('conflict');
    else if (store.head === before) marks.hit('repeat recognised');
    return result;
  }

  private answer(call: Call, result: AppendResult): void {
    const what = result.kind === 'conflict' ? `conflict ${result.actual}` : `appended ${result.last}`;
    this.world.scheduler.after(this.owner, latency(this.world), `${call.stream} ${what}`, () => {
      const last = result.kind === 'conflict' ? result.actual : result.last;
      if (this.world.flaw !== 'stale_after_append' || result.kind === 'conflict') {
        this.floors.set(call.stream, Math.max(last, this.floors.get(call.stream) ?? -1));
      }
      if (result.kind === 'appended') this.pump.acknowledged(call.stream, result.first, result.last);
      call.resolve(result);
    });
  }

  private refuse(call: Call, error: Error): void {
    this.world.scheduler.after(this.owner, latency(this.world), `${call.stream} ${error.message}`, () =>
      call.reject(error),
    );
  }

  private giveUp(call: Call, ms: number): void {
    const label = `${call.stream} outcome unknown`;
    this.world.scheduler.after(this.owner, ms + latency(this.world), label, () =>
      call.reject(new AppendOutcomeUnknown('no answer')),
    );
  }

  private page(
    stream: string,
    after: Revision | undefined,
    options: { backwards?: boolean; limit: number; upTo?: Position; seen?: Revision },
  ): Promise<readonly RecordedEvent[]> {
    const { backwards = false, limit, upTo = 0, seen: least = -1 } = options;
    return this.ask(`read ${stream} ${backwards ? 'before' : 'after'} ${after ?? 'the end'}`, () => {
      const { store, tape, weather } = this.world;
      const seen = this.visible(stream, least, upTo);
      const size = Math.min(limit, tape.chance(weather.smallPages) ? 1 + tape.choose(4) : PAGE_EVENTS);
      const events = store.stream(stream);
      if (!backwards) {
        const first = (after ?? -1) + 1;
        return store.readable(events.slice(first, Math.min(seen, first + size)));
      }
      const end = Math.min(after ?? seen, seen);
      return store.readable(events.slice(Math.max(0, end - size), end).reverse());
    });
  }

  private logPage(after: Position, prefixes: readonly string[], limit: number): Promise<Batch> {
    return this.ask(`read log after ${after}`, () => {
      const { all } = this.world.store;
      const events: RecordedEvent[] = [];
      let position = after;
      for (; position < all.length && events.length < Math.min(limit, PAGE_EVENTS); position++) {
        const event = all[position] as RecordedEvent;
        if (prefixes.length === 0 || prefixes.some((prefix) => event.stream.startsWith(prefix)))
          events.push(event);
      }
      return { events: this.world.store.readable(events), position };
    });
  }

  /** How many events of the stream a read sees: at least up to the revision and the position, and what it was told of. */
  private visible(stream: string, least: Revision, upTo: Position): number {
    const { store, tape } = this.world;
    const events = store.stream(stream);
    const there = events.length;
    let certain = Math.max(least, this.floors.get(stream) ?? -1) + 1;
    while (certain < there && (events[certain]?.position ?? 0) <= upTo) certain++;
    if (this.exclusive || there <= certain || !strikes(this.world, 'readStale')) return there;
    return there - tape.choose(there - certain + 1);
  }

  private ask<T>(label: string, look: () => T): Promise<T> {
    const { scheduler, store } = this.world;
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new LogUnavailable('the log is closed');
      scheduler.after(this.owner, latency(this.world), label, () => {
        const isRefused = strikes(this.world, 'readRefused') || scheduler.now < store.unreadableUntil;
        const found = isRefused ? null : look();
        scheduler.after(this.owner, 0, `answer ${label}`, () => {
          if (found === null) reject(new LogUnavailable('busy'));
          else resolve(found);
        });
      });
    });
  }
}
