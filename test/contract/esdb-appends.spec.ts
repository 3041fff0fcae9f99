import { describe, expect, test } from '@jest/globals';
import { AppendOutcomeUnknown, EventTooLarge, LogUnavailable, newEvent } from '#event-log';
import type { Fault } from '../support/esdb-server/faults.js';
import { eventOf, eventsOf, freshStream, idsOf, META } from './event-log/harness.js';
import {
  IMPATIENT,
  idsIn,
  insist,
  openLog,
  setUp,
  startServer,
  storeForeign,
  streamOf,
  until,
} from './esdb-harness.js';
import { quiet } from '../support/quiet.js';

/** What can happen to an append, on the protocol server: the rows of the two tables that concern appends. */

describe('answers of one log do not reach another', () => {
  test('a connection that breaks leaves the appends of another log alone', async () => {
    const [broken, sound] = [await setUp(), await setUp()];
    sound.server.faults.add('append', { kind: 'slow', ms: 100 }, { times: 20 });
    const appends = Array.from({ length: 20 }, () =>
      sound.log.append(freshStream(), eventsOf(1), { expected: 'no_stream' }),
    );
    broken.server.faults.add('append', { kind: 'silence' }, { times: 20 });
    const lost = Promise.allSettled(
      Array.from({ length: 20 }, () =>
        broken.log.append(freshStream(), eventsOf(1), { expected: 'no_stream' }),
      ),
    );
    await until('they are asked for', () => broken.server.faults.left === 0);
    broken.server.stop();
    for (const append of await lost)
      expect(append).toMatchObject({ status: 'rejected', reason: { name: 'AppendOutcomeUnknown' } });
    for (const append of await Promise.all(appends)) expect(append.kind).toBe('appended');
  });

  test.each<Fault>([{ kind: 'slow', ms: IMPATIENT.appendTimeoutMs + 50 }, { kind: 'twice' }])(
    'an answer that nobody waits for (any more) is dropped: $kind',
    async (fault) => {
      const { server, log } = await setUp({}, IMPATIENT);
      const stream = freshStream();
      const events = eventsOf(2);
      server.faults.add('append', fault);
      await insist(log, stream, events, 'no_stream');
      await quiet(150);
      expect(await log.append(stream, eventsOf(1), { expected: 1 })).toMatchObject({ kind: 'appended' });
      expect((await idsIn(log, stream)).slice(0, 2)).toEqual(idsOf(events));
    },
  );
});

describe('an append without an answer', () => {
  test.each<{ fault: Fault; isStored: boolean }>([
    { fault: { kind: 'silence' }, isStored: false },
    { fault: { kind: 'silence', stored: true }, isStored: true },
    { fault: { kind: 'end' }, isStored: false },
    { fault: { kind: 'end', stored: true }, isStored: true },
  ])('has an unknown outcome and no successor until it is known: %o', async ({ fault, isStored }) => {
    const { server, log } = await setUp({}, IMPATIENT);
    const stream = freshStream();
    const batch = eventsOf(3);
    server.faults.add('append', fault);
    const since = Date.now();
    await expect(log.append(stream, batch, { expected: 'no_stream' })).rejects.toBeInstanceOf(
      AppendOutcomeUnknown,
    );
    expect(Date.now() - since).toBeLessThan(IMPATIENT.appendTimeoutMs + 20_000);
    expect(await idsIn(log, stream)).toEqual(isStored ? idsOf(batch) : []);
    expect(await log.append(stream, batch, { expected: 'no_stream' })).toMatchObject({
      kind: 'appended',
      first: 0,
      last: 2,
    });
    expect(await idsIn(log, stream)).toEqual(idsOf(batch));
  });

  test('gives up its connection before the next one is made, and takes what waits along', async () => {
    const { server, log } = await setUp({}, IMPATIENT);
    const before = server.calls.append;
    server.faults.add('append', { kind: 'silence' }, { times: 5 });
    const lost = Array.from({ length: 5 }, () => log.append(freshStream(), eventsOf(1), { expected: 'any' }));
    for (const append of await Promise.allSettled(lost)) expect(append.status).toBe('rejected');
    const next = Array.from({ length: 10 }, () =>
      log.append(freshStream(), eventsOf(1), { expected: 'any' }),
    );
    for (const append of await Promise.all(next)) expect(append.kind).toBe('appended');
    expect(server.calls.append).toBe(before + 1);
  });
});

describe('refusals', () => {
  test.each<Fault>([
    { kind: 'busy' },
    { kind: 'not-ready' },
    { kind: 'no-details' },
    { kind: 'timeout' },
    { kind: 'timeout', stored: true },
  ])('%o is an unknown outcome of that append alone', async (fault) => {
    const { server, log } = await setUp();
    const calls = server.calls.append;
    const stream = freshStream();
    const batch = eventsOf(2);
    server.faults.add('append', fault);
    const refused = log.append(stream, batch, { expected: 'no_stream' });
    const beside = log.append(freshStream(), eventsOf(1), { expected: 'no_stream' });
    await expect(refused).rejects.toBeInstanceOf(AppendOutcomeUnknown);
    expect(await beside).toMatchObject({ kind: 'appended' });
    expect(await log.append(stream, batch, { expected: 'no_stream' })).toMatchObject({ first: 0, last: 1 });
    expect(await idsIn(log, stream)).toEqual(idsOf(batch));
    expect(server.calls.append).toBe(calls);
    expect(await log.health()).toEqual({ ok: true });
  });

  test('access denied means that nothing was stored', async () => {
    const { server, log } = await setUp();
    server.faults.add('append', { kind: 'denied' });
    await expect(log.append('s', eventsOf(1), { expected: 'any' })).rejects.toThrow(LogUnavailable);
  });

  test("the server's own limit is told, and the connection stays usable", async () => {
    const { server, log } = await setUp();
    const stream = freshStream();
    const large = [eventOf({ text: 'x'.repeat(200_000) })];
    server.store.maxAppendBytes = 100_000;
    await expect(log.append(stream, large, { expected: 'no_stream' })).rejects.toBeInstanceOf(EventTooLarge);
    server.store.maxAppendBytes = 1024 * 1024;
    expect(await log.append(stream, large, { expected: 'no_stream' })).toMatchObject({ kind: 'appended' });
  });

  test('what JSON cannot hold is refused before anything is sent', () => {
    expect(() => newEvent({ id: '1', type: 't', time: 0, data: { n: 1n } }, META)).toThrow(TypeError);
  });

  test('an append of nothing is refused, where the server would say success', async () => {
    const { log } = await setUp();
    await expect(log.append(freshStream(), [], { expected: 'no_stream' })).rejects.toThrow(RangeError);
  });

  test('a revision or position beyond 2^53 is an error that says so', async () => {
    const server = await startServer({ firstPosition: 2 ** 53 });
    await expect(openLog(server)).rejects.toThrow(/beyond 2\^53/);
  });
});

describe('ids', () => {
  test('under "any" they protect nothing across a restart of the server: stored twice', async () => {
    const { server, log } = await setUp();
    const stream = freshStream();
    const batch = eventsOf(1);
    await log.append(stream, batch, { expected: 'any' });
    await log.append(stream, batch, { expected: 'any' });
    expect(await idsIn(log, stream)).toEqual(idsOf(batch));
    await server.restart();
    await insist(log, stream, batch, 'any');
    expect(await idsIn(log, stream)).toEqual([...idsOf(batch), ...idsOf(batch)]);
  });

  test('two workers at the same revision: one wins, the other meets a conflict and reads what came', async () => {
    const server = await startServer();
    const [one, other] = [await openLog(server), await openLog(server)];
    const { stream } = await streamOf(one, 2);
    const results = await Promise.all([
      one.append(stream, eventsOf(2), { expected: 1 }),
      other.append(stream, eventsOf(1), { expected: 1 }),
    ]);
    const winner = results.find((result) => result.kind === 'appended');
    expect(results).toContainEqual({ kind: 'conflict', actual: winner?.last });
    expect(await idsIn(other, stream)).toHaveLength(winner!.last + 1);
  });
});

describe('a cluster', () => {
  test('not the leader: all in flight is unknown, and goes to the leader with the same ids', async () => {
    const follower = await startServer();
    const leader = await startServer({ store: follower.store });
    const log = await openLog(follower);
    const batches = Array.from({ length: 10 }, () => ({ stream: freshStream(), events: eventsOf(2) }));
    follower.faults.add('append', { kind: 'silence' }, { times: 9 });
    follower.faults.add('append', { kind: 'not-leader', leader: { host: '127.0.0.1', port: leader.port } });
    await Promise.all(batches.map(({ stream, events }) => insist(log, stream, events, 'no_stream')));
    for (const { stream, events } of batches) expect(await idsIn(log, stream)).toEqual(idsOf(events));
    expect(leader.calls.append).toBe(1);
  });

  test('is found by gossip', async () => {
    const leader = await startServer();
    const gossip = await startServer({ leader: { host: '127.0.0.1', port: leader.port } });
    const log = await openLog({ url: `esdb+discover://127.0.0.1:${gossip.port}?tls=false` });
    const { stream, ids } = await streamOf(log, 2);
    expect(await idsIn(log, stream)).toEqual(ids);
    expect(leader.calls.append).toBe(1);
    expect(gossip.calls.append).toBe(0);
  });
});

describe('every fault at every append of a stream', () => {
  const faults: Fault[] = [
    { kind: 'silence' },
    { kind: 'silence', stored: true },
    { kind: 'end' },
    { kind: 'end', stored: true },
    // As the server answers while it is stopped under load, and when its connection breaks.
    { kind: 'error', code: 13 },
    { kind: 'error', code: 13, stored: true },
    { kind: 'error', code: 14 },
    { kind: 'error', code: 14, stored: true },
    { kind: 'error', code: 1, stored: true },
    { kind: 'error', code: 4, stored: true },
    { kind: 'busy' },
    { kind: 'not-ready' },
    { kind: 'no-details' },
    { kind: 'timeout', stored: true },
    { kind: 'slow', ms: IMPATIENT.appendTimeoutMs * 2 },
    { kind: 'twice' },
  ];
  test.each(faults)('%o: each event once, in order, for the writer and a listener', async (fault) => {
    const { server, log } = await setUp({}, IMPATIENT);
    storeForeign(server, 50);
    await Promise.all(
      [0, 1, 2, 3].map(async (at) => {
        const stream = `${freshStream()}-${at}`;
        const heard: string[] = [];
        const stop = new AbortController();
        const listening = (async () => {
          for await (const events of log.subscribeStream(stream, { signal: stop.signal }))
            heard.push(...idsOf(events));
        })();
        const ids: string[] = [];
        for (let n = 0; n < 4; n++) {
          const batch = eventsOf(2);
          ids.push(...idsOf(batch));
          if (n === at) server.faults.add('append', fault);
          expect(await insist(log, stream, batch, n * 2 - 1)).toMatchObject({
            first: n * 2,
            last: n * 2 + 1,
          });
        }
        expect(await idsIn(log, stream)).toEqual(ids);
        await until('the listener has all', () => heard.length >= ids.length);
        expect(heard).toEqual(ids);
        stop.abort();
        await listening;
      }),
    );
  });
});
