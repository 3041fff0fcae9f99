import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import {
  type EndSign,
  type Heartbeats,
  type Leases,
  PostgresHeartbeats,
  PostgresLeases,
  type ProcessWatch,
  ReplicaDatabase,
} from '#replicas';
import { EmbeddedPostgres } from '#postgres';
import { MemoryHeartbeats, MemoryLeases } from '../support/memory-replicas.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };

let folder: string;
let postgres: EmbeddedPostgres;
let database: ReplicaDatabase;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-replicas-'));
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  const { user, password, port, database: name } = await postgres.start();
  url = `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  database = new ReplicaDatabase({ url, timeoutMs: 5_000 }, ports);
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

interface Adapter {
  readonly name: string;
  readonly heartbeats: () => Heartbeats;
  readonly leases: () => Leases;
}

const clock = new SystemClock();
/** As the fakes are used: one for all replicas. */
const heartbeats = new MemoryHeartbeats(clock);
const leases = new MemoryLeases(clock);
const ADAPTERS: readonly Adapter[] = [
  { name: 'in memory', heartbeats: () => heartbeats, leases: () => leases },
  {
    name: 'in PostgreSQL',
    heartbeats: () => (ofPostgres ??= new PostgresHeartbeats(database)),
    leases: () => new PostgresLeases(database),
  },
];
const LONG_MS = 60_000;
let ofPostgres: PostgresHeartbeats | null = null;

describe.each(ADAPTERS)('heartbeats $name', ({ heartbeats: open }) => {
  const of = async (replica: string) =>
    (await open().all()).find((heartbeat) => heartbeat.replica === replica);

  it('tell every replica of all that ever beat, and for how long they are silent', async () => {
    await Promise.all([open().beat('a', LONG_MS), open().beat('b', 500)]);
    expect(await of('a')).toMatchObject({ leaseMs: LONG_MS, hasLeft: false });
    expect(await of('b')).toMatchObject({ leaseMs: 500, hasLeft: false });
    const silent = async () => (await of('a'))?.silentMs ?? 0;
    await until(async () => (await silent()) >= 30);
    const silentMs = await silent();
    await open().beat('a', LONG_MS);
    expect((await of('a'))?.silentMs).toBeLessThan(silentMs);
    expect(await of('nobody')).toBeUndefined();
  });

  it('tell of one that has left, until it beats again', async () => {
    await open().beat('c', LONG_MS);
    await open().leave('c');
    await open().leave('nobody');
    expect((await of('c'))?.hasLeft).toBe(true);
    await open().beat('c', LONG_MS);
    expect((await of('c'))?.hasLeft).toBe(false);
  });

  it('say of one that lives that nothing tells of its end', async () => {
    await open().beat('e', LONG_MS);
    expect((await of('e'))?.sign).toBe('none');
  });
});

describe.each(ADAPTERS)('leases $name', ({ leases: open }) => {
  it('are held by one, who renews them under the same fence', async () => {
    expect(await open().take('x', 'a', LONG_MS)).toBe(1);
    expect(await open().take('x', 'b', LONG_MS)).toBeNull();
    expect(await open().take('x', 'a', LONG_MS)).toBe(1);
    expect(await open().take('y', 'b', LONG_MS)).toBe(1);
  });

  it('pass on when they end or are given up, under a higher fence', async () => {
    await open().take('z', 'a', 10);
    let fence: number | null = null;
    await until(async () => (fence = await open().take('z', 'b', LONG_MS)) !== null);
    expect(fence).toBe(2);
    await open().release('z', 'a');
    expect(await open().take('z', 'a', LONG_MS)).toBeNull();
    await open().release('z', 'b');
    expect(await open().take('z', 'a', LONG_MS)).toBe(3);
  });

  it('are all free when their holder is known to be no more', async () => {
    for (const name of ['p', 'q']) await open().take(name, 'dead', LONG_MS);
    await open().take('r', 'a', LONG_MS);
    await open().releaseAll('dead');
    const taken = await Promise.all(['p', 'q', 'r'].map((name) => open().take(name, 'b', LONG_MS)));
    expect(taken).toEqual([2, 2, null]);
  });

  it('are given to one of many who want them at once', async () => {
    const wanted = Array.from({ length: 8 }, (_, n) => open().take('many', `holder ${n}`, LONG_MS));
    expect((await Promise.all(wanted)).filter((fence) => fence !== null)).toEqual([1]);
  });
});

describe('in PostgreSQL', () => {
  /** A replica with connections of its own. */
  const replica = (watch?: ProcessWatch) => {
    const own = new ReplicaDatabase({ url, timeoutMs: 5_000 }, ports);
    return { own, heartbeats: new PostgresHeartbeats(own, watch) };
  };
  const signOf = async (of: PostgresHeartbeats, name: string) =>
    (await of.all()).find((heartbeat) => heartbeat.replica === name)?.sign;
  const becomes = async (of: PostgresHeartbeats, name: string, wanted: EndSign) => {
    await until(async () => (await signOf(of, name)) === wanted);
  };

  it('a connection that is gone tells of an end, one that is made again does not', async () => {
    const [watcher, other] = [replica(), replica()];
    await watcher.heartbeats.beat('watcher', LONG_MS);
    await other.heartbeats.beat('other', LONG_MS);
    // Its own connection has to be older than a moment before it judges those of others.
    await quiet(500);
    expect(await signOf(watcher.heartbeats, 'other')).toBe('none');
    const connection = async () =>
      (
        await watcher.own.query<{ pid: number }>({
          text: `SELECT pid FROM pg_locks, annals_replicas.heartbeats
           WHERE replica = 'other' AND locktype = 'advisory' AND objid::bigint = pulse`,
        })
      )[0]?.pid;
    const first = await connection();
    await watcher.own.query({ text: 'SELECT pg_terminate_backend($1)', values: [first] });
    // It makes a new one without being asked to, and goes on.
    await until(async () => ![undefined, first].includes(await connection()));
    expect(await signOf(watcher.heartbeats, 'other')).toBe('none');
    await other.own.close();
    await becomes(watcher.heartbeats, 'other', 'cut');
    await watcher.own.close();
  });

  it('a restart of the server tells of nobody', async () => {
    const [watcher, other] = [replica(), replica()];
    await watcher.heartbeats.beat('watcher', LONG_MS);
    await other.heartbeats.beat('silent', LONG_MS);
    await other.own.close();
    await becomes(watcher.heartbeats, 'silent', 'cut');
    // As a row looks that was written before it.
    await watcher.own.query({
      text: "UPDATE annals_replicas.heartbeats SET server_started = server_started - interval '1 s' WHERE replica = 'silent'",
    });
    expect(await signOf(watcher.heartbeats, 'silent')).toBe('none');
    await watcher.own.close();
  });

  it('a process that its place knows to be no more has ended', async () => {
    const watcher = replica({ own: 'me', hasEnded: (named) => named === 'dead' });
    await watcher.heartbeats.beat('watcher', LONG_MS);
    for (const own of ['dead', 'living']) {
      const other = replica({ own, hasEnded: () => false });
      await other.heartbeats.beat(own, LONG_MS);
      expect(await signOf(watcher.heartbeats, own)).toBe(own === 'dead' ? 'ended' : 'none');
      await other.own.close();
    }
    await watcher.own.close();
  });

  it('the tables are made again where they were lost', async () => {
    await new PostgresHeartbeats(database).beat('d', LONG_MS);
    await database.query({ text: 'DROP SCHEMA annals_replicas CASCADE' });
    await expect(new PostgresHeartbeats(database).all()).rejects.toThrow('42P01');
    await new PostgresHeartbeats(database).beat('d', LONG_MS);
    expect((await new PostgresHeartbeats(database).all()).map(({ replica }) => replica)).toEqual(['d']);
  });

  it('an error names no user and no host', async () => {
    const away = new ReplicaDatabase(
      { url: 'postgres://root:hunter2@127.0.0.1:9/none', timeoutMs: 1_000 },
      ports,
    );
    const error = await new PostgresHeartbeats(away).all().catch(String);
    expect(error).toBe('ReplicasUnavailable: the database does not take heartbeats (ECONNREFUSED)');
    await away.close();
  });
});
