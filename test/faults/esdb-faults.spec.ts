import { beforeAll, describe, expect, test } from '@jest/globals';
import { collect, LogUnavailable, type RecordedEvent } from '#event-log';
import { type EsdbEventLog } from '#eventstoredb';
import type { EsdbServer } from '../support/esdb-server/esdb-server.js';
import type { Fault, FaultyCall } from '../support/esdb-server/faults.js';
import { eventsOf, freshStream, idsOf } from '../contract/event-log/harness.js';
import { insist, openLog, startServer, until } from '../contract/esdb-harness.js';
import { quiet } from '../support/quiet.js';

/**
 * Row F8 of the goal sheet: every answer of the server beside every call of the log. The log that is tested talks to a node
 * that misbehaves; another process writes to the same data through a sound one.
 */

const TIMEOUTS = { appendTimeoutMs: 250, readTimeoutMs: 250 };

interface World {
  readonly server: EsdbServer;
  /** On the node that misbehaves. */
  readonly log: EsdbEventLog;
  /** Of another process, on a node that does not. */
  readonly other: EsdbEventLog;
  readonly leader: { readonly host: string; readonly port: number };
}

interface Answer {
  readonly name: string;
  /** Makes the node misbehave: on the next call of the kind, or at once. */
  readonly misbehave: (world: World) => Promise<void> | void;
  /** The call that meets it is made beside the one that is tested. */
  readonly meets: FaultyCall;
}

const planned = (meets: FaultyCall, name: string, fault: (world: World) => Fault): Answer => ({
  name: `${meets}: ${name}`,
  meets,
  misbehave: (world) => {
    world.server.faults.add(meets, fault(world));
    // A subscription is there already; the next one meets the fault.
    if (meets === 'subscribe') world.server.dropSubscriptions('end');
  },
});

const answers: readonly Answer[] = [
  planned('append', 'stored, then the connection breaks', () => ({ kind: 'error', code: 14, stored: true })),
  planned('append', 'stored, then the call ends', () => ({ kind: 'end', stored: true })),
  planned('append', 'stored, then silence', () => ({ kind: 'silence', stored: true })),
  planned('append', 'stored, then reset', () => ({ kind: 'error', code: 13, stored: true })),
  planned('append', 'stored, then time-out', () => ({ kind: 'timeout', stored: true })),
  planned('append', 'silence', () => ({ kind: 'silence' })),
  planned('append', 'the call ends', () => ({ kind: 'end' })),
  planned('append', 'busy', () => ({ kind: 'busy' })),
  planned('append', 'not ready', () => ({ kind: 'not-ready' })),
  planned('append', 'not leader', ({ leader }) => ({ kind: 'not-leader', leader })),
  planned('append', 'slower than the time-out', () => ({ kind: 'slow', ms: TIMEOUTS.appendTimeoutMs * 2 })),
  planned('append', 'answered twice', () => ({ kind: 'twice' })),
  planned('read', 'silence', () => ({ kind: 'silence' })),
  planned('read', 'busy', () => ({ kind: 'busy' })),
  planned('read', 'not leader', ({ leader }) => ({ kind: 'not-leader', leader })),
  planned('read', 'reset', () => ({ kind: 'error', code: 13 })),
  planned('read', 'cut before the first event', () => ({ kind: 'cut', after: 0 })),
  planned('read', 'cut after an event', () => ({ kind: 'cut', after: 1 })),
  planned('read', 'stale', () => ({ kind: 'stale', without: 2 })),
  planned('read', 'slow', () => ({ kind: 'slow', ms: 50 })),
  planned('subscribe', 'silence', () => ({ kind: 'silence' })),
  planned('subscribe', 'busy', () => ({ kind: 'busy' })),
  planned('subscribe', 'not leader', ({ leader }) => ({ kind: 'not-leader', leader })),
  planned('subscribe', 'ends at once', () => ({ kind: 'end' })),
  {
    name: 'dropped: too slow',
    meets: 'subscribe',
    misbehave: ({ server }) => server.dropSubscriptions('too-slow'),
  },
  { name: 'dropped: end', meets: 'subscribe', misbehave: ({ server }) => server.dropSubscriptions('end') },
  {
    name: 'dropped: reset',
    meets: 'subscribe',
    misbehave: ({ server }) => server.dropSubscriptions({ code: 13 }),
  },
  { name: 'restart', meets: 'append', misbehave: ({ server }) => server.restart() },
  {
    name: 'away for a while',
    meets: 'append',
    misbehave: ({ server }) => {
      server.stop();
      void quiet(100).then(() => server.start());
    },
  },
];

/** What a caller does who is told that the log is away. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      await quiet(20);
    }
}

interface History {
  readonly stream: string;
  readonly ids: string[];
}

/** The ids that a subscriber is given, until it has so many. */
async function hear(
  pages: AsyncIterable<readonly RecordedEvent[]>,
  count: number,
  stop: () => void,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pages) {
    ids.push(...idsOf(page));
    if (ids.length >= count) stop();
  }
  return ids;
}

async function* eventsOfAll(log: EsdbEventLog, signal: AbortSignal): AsyncIterable<readonly RecordedEvent[]> {
  for await (const { events } of log.subscribeAll({ prefixes: ['contract-'], signal })) yield events;
}

async function grow(log: EsdbEventLog, { stream, ids }: History): Promise<void> {
  const batch = eventsOf(2);
  const last = ids.length - 1;
  ids.push(...idsOf(batch));
  expect(await insist(log, stream, batch, last)).toMatchObject({ first: last + 1, last: last + 2 });
}

/** The calls of the port. Each resolves when it has shown what it must show. `isStale`: a read may lack the newest events. */
const calls: Record<string, (world: World, history: History, isStale: boolean) => Promise<void>> = {
  append: ({ log }, history) => grow(log, history),
  readStream: async ({ log }, { stream, ids }, isStale) => {
    const read = idsOf(await persist(() => collect(log.readStream(stream))));
    expect(read).toEqual(isStale ? ids.slice(0, read.length) : ids);
    const back = idsOf(await persist(() => collect(log.readStream(stream, { backwards: true, limit: 3 }))));
    expect(back).toEqual(ids.toReversed().slice(0, 3));
  },
  readAll: async ({ log, server }, _, isStale) => {
    const read: string[] = [];
    let after = 0;
    await persist(async () => {
      for await (const { events, position } of log.readAll({ after })) {
        read.push(...idsOf(events));
        after = position;
      }
    });
    const stored = storedIds(server);
    expect(read).toEqual(isStale ? stored.slice(0, read.length) : stored);
  },
  subscribeStream: async ({ log, other }, history) => {
    const stop = new AbortController();
    const pages = log.subscribeStream(history.stream, { signal: stop.signal });
    const hearing = hear(pages, history.ids.length + 4, () => stop.abort());
    await grow(other, history);
    await grow(log, history);
    expect(await hearing).toEqual(history.ids);
  },
  subscribeAll: async ({ log, other, server }, history) => {
    const stop = new AbortController();
    const hearing = hear(eventsOfAll(log, stop.signal), storedIds(server).length + 4, () => stop.abort());
    await grow(other, history);
    await grow(log, history);
    expect(await hearing).toEqual(storedIds(server));
  },
  head: async ({ log, server }) => {
    expect(await persist(() => log.head())).toBe(server.store.all.at(-1)?.position);
  },
  health: async ({ log }) => {
    await until('it is well', async () => (await log.health()).ok);
  },
};

const storedIds = (server: EsdbServer): string[] =>
  server.store.all.filter(({ stream }) => stream.startsWith('annals.contract-')).map(({ id }) => id);

/** Makes a call of the kind, so that the fault is met also where the tested call makes none. */
function companion(world: World, meets: FaultyCall, beside: History): Promise<void> {
  const { calls: made, faults } = world.server;
  if (meets === 'append') return grow(world.log, beside);
  if (meets === 'read') return persist(() => world.log.head()).then(() => undefined);
  return until('the next subscription', () => made.subscribe > 1 && faults.left === 0);
}

async function meet({ misbehave, meets, name }: Answer, call: string): Promise<void> {
  const server = await startServer();
  const sound = await startServer({ store: server.store });
  const log = await openLog(server, TIMEOUTS);
  const other = await openLog(sound);
  const world: World = { server, log, other, leader: { host: '127.0.0.1', port: sound.port } };
  const history: History = { stream: freshStream(), ids: [] };
  const beside: History = { stream: freshStream(), ids: [] };
  for (const writer of [log, other, log]) await grow(writer, history);
  await until('it listens', () => server.subscriptions === 1);

  await misbehave(world);
  const work = calls[call]!(world, history, name === 'read: stale');
  // Not beside a call that counts what is stored.
  if (call !== 'readAll' && call !== 'subscribeAll' && call !== 'head')
    await Promise.all([work, companion(world, meets, beside)]);
  else {
    await work;
    await companion(world, meets, beside);
  }
  expect(server.faults.left).toBe(0);

  // It has passed: everything is there once, in order, for readers old and new, and goes on.
  for (const writer of [log, other]) await grow(writer, history);
  expect(idsOf(await persist(() => collect(log.readStream(history.stream))))).toEqual(history.ids);
  const stop = new AbortController();
  const all = await hear(eventsOfAll(log, stop.signal), storedIds(server).length, () => stop.abort());
  expect(all).toEqual(storedIds(server));
  expect(storedIds(server).toSorted()).toEqual([...history.ids, ...beside.ids].toSorted());
  await until('it is well', async () => (await log.health()).ok);
}

describe.each(answers)('$name', (answer) => {
  const outcomes = new Map<string, Promise<void>>();
  // Each waits most of its time, on servers of its own.
  beforeAll(async () => {
    for (const call of Object.keys(calls)) outcomes.set(call, meet(answer, call));
    await Promise.allSettled(outcomes.values());
  });

  test.each(Object.keys(calls))('%s', (call) => outcomes.get(call));
});
