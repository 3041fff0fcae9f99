import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  collect,
  ContentKeys,
  type EventLog,
  type KnownKey,
  MemoryContentKeys,
  type RecordedEvent,
} from '#event-log';
import { SealedEventLog, StreamKeys } from '#vault';
import type { EsdbServer } from '../support/esdb-server/esdb-server.js';
import type { Drop } from '../support/esdb-server/subscriber.js';
import { eventsOf, freshStream, idsOf, take } from './event-log/harness.js';
import { openLog, setUp, startServer, storeForeign, streamOf, until } from './esdb-harness.js';

/** The one live subscription: dropped, broken, burst, and beside the appends of the same process. */

const drops: Drop[] = ['too-slow', 'end', { code: 14 }, { code: 13 }, { code: 1 }];
const never = new AbortController().signal;

/** Everything that a follower of the whole log sees, until it is stopped. */
function follow(log: EventLog, after: number) {
  const seen: RecordedEvent[] = [];
  const stop = new AbortController();
  const done = (async () => {
    for await (const batch of log.subscribeAll({ after, signal: stop.signal })) seen.push(...batch.events);
  })();
  return { seen, stop: () => (stop.abort(), done) };
}

/** As the server has it: without the adapter's own stream and without other users. */
const stored = (server: EsdbServer): string[] =>
  server.store.all
    .filter(({ stream }) => stream.startsWith('annals.') && stream !== 'annals.log')
    .map(({ id }) => id);

/** The keys of another process, that are at hand when they were loaded. */
class LentKeys extends ContentKeys {
  private readonly known = new Map<string, KnownKey>();
  private readonly waiting: (() => void)[] = [];
  isSlow = true;

  constructor(private readonly owner: ContentKeys) {
    super();
  }

  get loads(): number {
    return this.waiting.length;
  }

  /** Answers everything that was asked for, and from now on at once. */
  answer(): void {
    this.isSlow = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  override peek(id: string): KnownKey | undefined {
    return this.known.get(id);
  }

  override async load(ids: Iterable<string>): Promise<void> {
    const wanted = [...ids];
    if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    for (const id of wanted) this.known.set(id, await this.owner.get(id));
  }

  override draw = (): Promise<string> => this.owner.draw();
  override destroy = (id: string): Promise<void> => this.owner.destroy(id);
  override placeBelow = (id: string, parent: string): Promise<void> => this.owner.placeBelow(id, parent);
  override destroyTree = (id: string): Promise<void> => this.owner.destroyTree(id);
}

test('what comes while keys are loaded is opened with keys of its own', async () => {
  const keys = new MemoryContentKeys();
  const { server, log } = await setUp({}, { keys });
  const sealed = new SealedEventLog(log, new StreamKeys(log, keys));
  const lent = new LentKeys(keys);
  const { seen, stop } = follow(await openLog(server, { keys: lent }), 0);
  await sealed.append(`session-${randomUUID()}`, eventsOf(2), { expected: 'no_stream' });
  await until('keys are asked for', () => lent.loads > 0);
  for (let n = 0; n < 20; n++)
    await sealed.append(`session-${randomUUID()}`, eventsOf(2), { expected: 'no_stream' });
  lent.answer();
  await until('all came', () => seen.length >= 42);
  await stop();
  expect(seen.map(({ data, meta }) => typeof meta.keyId === 'string' && Object.keys(data))).toEqual(
    seen.map(({ json }) => Object.keys(JSON.parse(json) as object)),
  );
  expect(idsOf(seen)).toEqual(stored(server));
});

describe.each(drops)('dropped: %o', (drop) => {
  test('at every delivery: each event once, in the order of the server', async () => {
    const { server, log } = await setUp({ liveBuffer: Infinity });
    const other = await openLog(server);
    const { seen, stop } = follow(other, 0);
    for (let n = 0; n < 25; n++) {
      await log.append(`s-${n % 3}`, eventsOf(1 + (n % 4)), { expected: 'any' });
      if (n % 2 === 0) await until('delivered', () => seen.length > n);
      server.dropSubscriptions(drop);
    }
    await until('all came', () => seen.length >= stored(server).length);
    await stop();
    expect(idsOf(seen)).toEqual(stored(server));
    expect(other.subscriptionDrops).toBeGreaterThan(2);
  });

  test('twice in a row, and refused in between', async () => {
    const { server, log } = await setUp();
    const other = await openLog(server);
    const { seen, stop } = follow(other, 0);
    await log.append('s', eventsOf(3), { expected: 'any' });
    await until('delivered', () => seen.length === 3);
    server.faults.add('subscribe', { kind: 'error', code: 14 }, { times: 4 });
    server.dropSubscriptions(drop);
    server.dropSubscriptions(drop);
    await log.append('s', eventsOf(3), { expected: 'any' });
    await until('all came', () => seen.length >= 6);
    await stop();
    expect(idsOf(seen)).toEqual(stored(server));
  });
});

describe('a burst', () => {
  test.each([64, 2_000])(
    'of %i events in one append drops the subscriber, who misses nothing',
    async (count) => {
      const { server, log } = await setUp();
      const other = await openLog(server);
      const { seen, stop } = follow(other, 0);
      await log.append('warm', eventsOf(1), { expected: 'any' });
      await until('live', () => seen.length === 1);
      await log.append(freshStream(), eventsOf(count), { expected: 'no_stream' });
      await log.append('after', eventsOf(1), { expected: 'any' });
      await until('all came', () => seen.length >= count + 2);
      await stop();
      expect(idsOf(seen)).toEqual(stored(server));
      expect(other.subscriptionDrops).toBeGreaterThan(0);
    },
  );

  test('of many writers: followers of both processes see the order of the server', async () => {
    const server = await startServer({ liveBuffer: 4 });
    const logs = [await openLog(server), await openLog(server)];
    const followers = logs.map((log) => follow(log, 0));
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let n = 0; n < 30; n++)
          await logs[writer % 2]!.append(`w-${writer}`, eventsOf(1 + (n % 3)), { expected: 'any' });
      }),
    );
    const expected = stored(server);
    for (const { seen, stop } of followers) {
      await until('all came', () => seen.length >= expected.length);
      await stop();
      expect(idsOf(seen)).toEqual(expected);
    }
  });
});

describe("a process's own events", () => {
  test('reach the subscribers of their stream although the subscription to all is silent', async () => {
    const server = await startServer();
    server.faults.add('subscribe', { kind: 'silence' }, { times: 100 });
    const log = await openLog(server);
    const stream = freshStream();
    const taking = take(log.subscribeStream(stream, { signal: never }), 6);
    for (let n = 0; n < 3; n++) await log.append(stream, eventsOf(2), { expected: n * 2 - 1 });
    expect((await taking).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(server.subscriptions).toBe(0);
  });

  test('are heard in the turn of their acknowledgement, whatever the subscription to all does', async () => {
    const server = await startServer();
    const log = await openLog(server);
    await until('it listens', () => server.subscriptions === 1);
    server.faults.add('subscribe', { kind: 'silence' }, { times: 100 });
    const stream = freshStream();
    const heard: string[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const events of log.subscribeStream(stream, { signal: stop.signal }))
        heard.push(...idsOf(events));
    })();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const events = eventsOf(1);
      ids.push(...idsOf(events));
      await log.append(stream, events, { expected: n - 1 });
      // The first is read from the server, for the listener has just come.
      if (n === 0) await until('it has come', () => heard.length === 1);
      if (n === 9) server.dropSubscriptions('end');
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard).toEqual(ids);
    }
    expect(server.subscriptions).toBe(0);
    stop.abort();
    await listening;
  });

  test('come to a subscriber of the stream among those of another process, each once', async () => {
    const server = await startServer();
    const [one, other] = [await openLog(server), await openLog(server)];
    const { stream, ids } = await streamOf(one, 1);
    const listeners = [one, other].map((log) => take(log.subscribeStream(stream, { signal: never }), 41));
    for (let n = 0; n < 40; n++) {
      const [event] = eventsOf(1);
      ids.push(event!.id);
      await (n % 3 === 0 ? other : one).append(stream, [event!], { expected: n });
    }
    for (const seen of await Promise.all(listeners)) expect(idsOf(seen)).toEqual(ids);
  });

  test('bear their own position or a later one, and the true one when they are read', async () => {
    const { log } = await setUp();
    const stream = freshStream();
    const taking = take(log.subscribeStream(stream, { signal: never }), 3);
    const result = await log.append(stream, eventsOf(3), { expected: 'no_stream' });
    const live = await taking;
    const read = await collect(log.readStream(stream));
    expect(read.at(-1)?.position).toBe(result.kind === 'appended' && result.position);
    for (const [i, { position }] of live.entries())
      expect(position).toBeGreaterThanOrEqual(read[i]!.position);
    expect(live.at(-1)?.position).toBe(read.at(-1)?.position);
  });
});

describe('other users of the server', () => {
  test('their events are not seen, and checkpoints over them do no harm', async () => {
    const { server, log } = await setUp();
    const { seen, stop } = follow(log, 0);
    for (let n = 0; n < 4; n++) {
      await log.append('s', eventsOf(2), { expected: n * 2 - 1 });
      storeForeign(server, 20_000);
    }
    await until('all came', () => seen.length >= 8);
    await stop();
    expect(idsOf(seen)).toEqual(stored(server));
    const events: RecordedEvent[] = [];
    for await (const batch of log.readAll()) events.push(...batch.events);
    expect(idsOf(events)).toEqual(stored(server));
    // A checkpoint may not be beyond the head, so neither counts what others wrote.
    expect(await log.head()).toBe(events.at(-1)?.position);
  });

  test('resuming at every position gives exactly the rest', async () => {
    const { server, log } = await setUp();
    for (let n = 0; n < 12; n++) {
      await log.append(`s-${n % 3}`, eventsOf(1 + (n % 2)), { expected: 'any' });
      storeForeign(server, 70);
    }
    const all = await take(log.subscribeAll({ after: 0, signal: never }), stored(server).length);
    for (const [n, { position }] of all.entries())
      expect(
        idsOf(await take(log.subscribeAll({ after: position, signal: never }), all.length - n - 1)),
      ).toEqual(idsOf(all.slice(n + 1)));
  });

  test('who writes into our streams without an envelope is shown, not fatal', async () => {
    const { server, log } = await setUp();
    const { seen, stop } = follow(log, 0);
    const data = new TextEncoder().encode('{"by":"hand"}');
    const id = randomUUID();
    const metadata = new Uint8Array([0, 255]);
    server.store.append('annals.s', 'any', [
      { id, type: 'odd', contentType: 'application/json', data, metadata },
    ]);
    await log.append('s', eventsOf(1), { expected: 0 });
    await until('both came', () => seen.length === 2);
    await stop();
    expect(seen[0]).toMatchObject({ id, type: 'odd', data: { by: 'hand' }, meta: { schemaVersion: 0 } });
  });
});

test('the head is what the server has, also of what another process has appended a moment ago', async () => {
  const server = await startServer();
  server.faults.add('subscribe', { kind: 'silence' }, { times: 100 });
  const [one, other] = [await openLog(server), await openLog(server)];
  for (let n = 0; n < 5; n++) {
    const result = await one.append('s', eventsOf(2), { expected: 'any' });
    const heads = await Promise.all([other.head(), one.head(), other.head()]);
    for (const head of heads) expect(head).toBe(result.kind === 'appended' && result.position);
  }
});
