import { describe, expect, test } from '@jest/globals';
import { Clock } from '#platform';
import { StoredEvent } from '../codec.js';
import type { RecordedEvent } from '../envelope.js';
import { type Batch, LogUnavailable } from '../event-log.js';
import { LiveFeed } from './live-feed.js';
import type { FeedSource } from './feed-source.js';

const META = { schemaVersion: 1, project: 'p', actor: 'k' };

/** A log in memory that counts how often it is read. */
class CountingSource implements FeedSource {
  readonly events: RecordedEvent[] = [];
  reads = 0;
  failures = 0;

  grow(stream: string, count = 1, text = ''): RecordedEvent[] {
    const before = this.events.filter((event) => event.stream === stream).length;
    const grown = Array.from({ length: count }, (_, n) => {
      const data = { text };
      const event = {
        id: `${stream}-${before + n}`,
        type: 't',
        time: 0,
        json: JSON.stringify(data),
        data,
        meta: META,
      };
      return new StoredEvent(event, { stream, revision: before + n, position: this.events.length + n + 1 });
    });
    this.events.push(...grown);
    return grown;
  }

  async streamPage(stream: string, after: number): Promise<readonly RecordedEvent[]> {
    this.count();
    return this.events.filter((event) => event.stream === stream && event.revision > after).slice(0, 10);
  }

  async logPage(after: number, prefixes: readonly string[]): Promise<Batch> {
    this.count();
    const page = this.events.slice(after, after + 10);
    const events = page.filter(
      ({ stream }) => prefixes.length === 0 || prefixes.some((prefix) => stream.startsWith(prefix)),
    );
    return { events, position: page.at(-1)?.position ?? after };
  }

  private count(): void {
    this.reads += 1;
    if (this.failures-- > 0) throw new LogUnavailable('not now');
  }
}

/** Its timers fire as soon as the event loop is free. */
class HastyClock extends Clock {
  override now(): number {
    return 0;
  }
  override timer(_ms: number, fire: () => void): () => void {
    const handle = setImmediate(fire);
    return () => clearImmediate(handle);
  }
  override soon(fire: () => void): void {
    setImmediate(fire);
  }
}

function setUp(limits?: { streamTailBytes: number; logTailBytes: number }) {
  const source = new CountingSource();
  const feed = new LiveFeed(source, new HastyClock(), limits);
  feed.startAfter(0);
  const append = (stream: string, count = 1, text = '') => {
    const events = source.grow(stream, count, text);
    feed.streamGrew(stream, events);
    feed.logGrew(events);
    feed.wake();
    return events;
  };
  return { source, feed, append };
}

const { signal } = new AbortController();
const start = <T>(subscription: AsyncIterable<T>) => subscription[Symbol.asyncIterator]();

describe('a subscriber of a stream', () => {
  test('who comes right after an append hears everything without a read', async () => {
    const { source, feed, append } = setUp();
    const first = append('s', 4);
    const subscription = start(feed.subscribeStream('s', 1, signal));
    expect((await subscription.next()).value).toEqual(first.slice(2));
    for (let n = 0; n < 3; n++) {
      const next = subscription.next();
      const events = append('s', 2);
      expect((await next).value).toEqual(events);
    }
    expect(source.reads).toBe(0);
  });

  test('who knows nothing reads once and then listens', async () => {
    const { source, feed, append } = setUp();
    const subscription = start(feed.subscribeStream('s', -1, signal));
    const next = subscription.next();
    await new Promise((resolve) => setImmediate(resolve));
    const events = append('s');
    expect((await next).value).toEqual(events);
    expect(source.reads).toBe(1);
  });

  test('reads the gap when events come that are not his next', async () => {
    const { source, feed } = setUp();
    const stored = source.grow('s', 6);
    const subscription = start(feed.subscribeStream('s', 1, signal));
    feed.streamGrew('s', stored.slice(4));
    expect((await subscription.next()).value).toEqual(stored.slice(2));
    // Late, and heard of before.
    feed.streamGrew('s', stored.slice(2, 5));
    const next = subscription.next();
    const later = source.grow('s', 1);
    feed.streamGrew('s', later);
    expect((await next).value).toEqual(later);
  });

  test('is not disturbed by a log that is unavailable for a while', async () => {
    const { source, feed } = setUp();
    const stored = source.grow('s', 3);
    source.failures = 4;
    expect((await start(feed.subscribeStream('s', -1, signal)).next()).value).toEqual(stored);
    expect(source.reads).toBe(5);
  });

  test('finds what somebody else was given only in the log, but what one of them was not in memory', async () => {
    const { source, feed, append } = setUp();
    const quick = start(feed.subscribeStream('s', 0, signal));
    append('s', 2);
    const slow = start(feed.subscribeStream('s', 0, signal));
    expect((await quick.next()).value).toEqual(source.events.slice(1));
    expect((await slow.next()).value).toEqual(source.events.slice(1));
    append('s');
    expect((await quick.next()).value).toEqual(source.events.slice(2));
    append('s');
    expect((await slow.next()).value).toEqual(source.events.slice(2));
    expect(source.reads).toBe(0);
    const late = start(feed.subscribeStream('s', 0, signal));
    expect((await late.next()).value).toEqual(source.events.slice(1));
    expect(source.reads).toBe(1);
  });

  test('who fell behind what is kept reads the log, and is live again', async () => {
    const { source, feed, append } = setUp({ streamTailBytes: 40_000, logTailBytes: 40_000 });
    const subscription = start(feed.subscribeStream('s', -1, signal));
    const appended = Array.from({ length: 50 }, () => append('s', 1, 'x'.repeat(500))).flat();
    const seen: RecordedEvent[] = [];
    while (seen.length < 50) seen.push(...((await subscription.next()).value as RecordedEvent[]));
    expect(seen).toEqual(appended);
    const { reads } = source;
    const next = subscription.next();
    append('s');
    await next;
    expect(source.reads).toBe(reads);
  });

  test('who comes after a part was forgotten is given what followed it, and nothing of it out of memory', async () => {
    const { source, feed, append } = setUp();
    const events = append('s', 3);
    const early = start(feed.subscribeStream('s', 2, signal));
    feed.forget(({ revision }) => revision < 2);
    // Acknowledged late.
    feed.streamGrew('s', events.slice(1, 2));
    expect((await start(feed.subscribeStream('s', 1, signal)).next()).value).toEqual(events.slice(2));
    expect(source.reads).toBe(0);
    expect((await start(feed.subscribeStream('s', 0, signal)).next()).value).toEqual(events.slice(1));
    expect(source.reads).toBe(1);
    const next = early.next();
    const later = append('s', 2);
    expect((await next).value).toEqual(later);
  });

  test('leaves nothing in memory where he was the last: who comes back reads the log', async () => {
    const { source, feed, append } = setUp();
    const events = append('s', 2);
    const only = start(feed.subscribeStream('s', -1, signal));
    expect((await only.next()).value).toEqual(events);
    expect(source.reads).toBe(0);
    await only.return?.();
    const back = start(feed.subscribeStream('s', 0, signal));
    expect((await back.next()).value).toEqual(events.slice(1));
    expect(source.reads).toBe(1);
    const next = back.next();
    const later = append('s');
    expect((await next).value).toEqual(later);
  });

  test('does not take what is told late for the end, where nobody had listened', async () => {
    const { feed, append } = setUp();
    const events = append('s', 3);
    const only = start(feed.subscribeStream('s', 1, signal));
    await only.next();
    await only.return?.();
    feed.streamGrew('s', events.slice(0, 1));
    const late = start(feed.subscribeStream('s', 0, signal));
    expect((await late.next()).value).toEqual(events.slice(1));
  });

  test('hears what comes next although his tail was emptied for others', async () => {
    const { source, feed, append } = setUp({ streamTailBytes: 20_000, logTailBytes: 20_000 });
    append('quiet');
    const subscription = start(feed.subscribeStream('quiet', 0, signal));
    const next = subscription.next();
    for (let n = 0; n < 100; n++) append(`loud-${n}`, 1, 'x'.repeat(500));
    const events = append('quiet');
    expect((await next).value).toEqual(events);
    expect(source.reads).toBe(0);
  });
});

describe('a subscriber of the log', () => {
  test('keeps in memory what comes after him, and nothing of what all were given', async () => {
    const { source, feed, append } = setUp();
    const slow = start(feed.subscribeAll(0, [], signal));
    const quick = start(feed.subscribeAll(0, [], signal));
    append('s', 3);
    await slow.next();
    await quick.next();
    for (let n = 0; n < 3; n++) {
      append('s');
      await quick.next();
    }
    expect((await slow.next()).value).toEqual({ events: source.events.slice(3), position: 6 });
    expect(source.reads).toBe(0);
    append('s');
    await start(feed.subscribeAll(2, [], signal)).next();
    expect(source.reads).toBe(1);
  });

  test('near the head is served from memory, from further back by pages', async () => {
    const { source, feed, append } = setUp({ streamTailBytes: 20_000, logTailBytes: 20_000 });
    const appended = Array.from({ length: 200 }, (_, n) => append(`s-${n % 7}`)).flat();
    const near = start(feed.subscribeAll(195, [], signal));
    expect((await near.next()).value).toEqual({ events: appended.slice(195), position: 200 });
    expect(source.reads).toBe(0);
    const far = start(feed.subscribeAll(0, [], signal));
    const seen: RecordedEvent[] = [];
    while (seen.length < 200) seen.push(...(((await far.next()).value as Batch).events as RecordedEvent[]));
    expect(seen).toEqual(appended);
    expect(source.reads).toBeGreaterThan(10);
  });

  test('is told that he passed events of others, once for many', async () => {
    const { feed, append } = setUp();
    const subscription = start(feed.subscribeAll(0, ['a-'], signal));
    const next = subscription.next();
    for (let n = 0; n < 20; n++) append('b-1');
    expect((await next).value).toEqual({ events: [], position: 20 });
  });
});

test('nothing is kept for a subscriber who has left', async () => {
  const { feed, append } = setUp();
  const { streams, log, siblings } = feed as unknown as {
    streams: { tails: Map<string, unknown> };
    log: { listeners: Set<unknown> };
    siblings: { all: { readonly size: number } };
  };
  for (const leave of ['abort', 'return'] as const) {
    const controller = new AbortController();
    const subscriptions = [
      ...Array.from({ length: 50 }, (_, n) =>
        start<unknown>(feed.subscribeStream(`s-${n}`, -1, controller.signal)),
      ),
      start<unknown>(feed.subscribeAll(0, [], controller.signal)),
    ];
    const waiting = subscriptions.map((subscription) => subscription.next());
    expect(siblings.all.size).toBe(51);
    if (leave === 'abort') controller.abort();
    else for (const subscription of subscriptions) await subscription.return?.();
    expect((await Promise.all(waiting)).every(({ done }) => done)).toBe(true);
    expect([siblings.all.size, log.listeners.size, streams.tails.size]).toEqual([0, 0, 0]);
  }
  append('s-1');
  expect(streams.tails.size).toBe(1);
});
