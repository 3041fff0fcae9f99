import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type Heartbeats, type Leases, PostgresHeartbeats, PostgresLeases, ReplicaDatabase } from '#runs';
import { EmbeddedPostgres } from '../../libs/read-models/src/postgres/embedded-postgres.js';
import { MemoryHeartbeats, MemoryLeases } from '../support/memory-replicas.js';

let folder: string;
let postgres: EmbeddedPostgres;
let database: ReplicaDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-replicas-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  const { user, password, port, database: name } = await postgres.start();
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  database = new ReplicaDatabase({ url, timeoutMs: 5_000 });
}, 60_000);
afterAll(async () => {
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}, 60_000);

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
    heartbeats: () => new PostgresHeartbeats(database),
    leases: () => new PostgresLeases(database),
  },
];
const LONG_MS = 60_000;

describe.each(ADAPTERS)('heartbeats $name', ({ heartbeats: open }) => {
  const of = async (replica: string) =>
    (await open().all()).find((heartbeat) => heartbeat.replica === replica);

  it('tell every replica of all that ever beat, and for how long they are silent', async () => {
    await Promise.all([open().beat('a', LONG_MS), open().beat('b', 500)]);
    expect(await of('a')).toMatchObject({ leaseMs: LONG_MS, hasLeft: false });
    expect(await of('b')).toMatchObject({ leaseMs: 500, hasLeft: false });
    await sleep(30);
    const silentMs = (await of('a'))?.silentMs ?? 0;
    expect(silentMs).toBeGreaterThanOrEqual(29);
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
    await sleep(20);
    expect(await open().take('z', 'b', LONG_MS)).toBe(2);
    await open().release('z', 'a');
    expect(await open().take('z', 'a', LONG_MS)).toBeNull();
    await open().release('z', 'b');
    expect(await open().take('z', 'a', LONG_MS)).toBe(3);
  });

  it('are given to one of many who want them at once', async () => {
    const wanted = Array.from({ length: 8 }, (_, n) => open().take('many', `holder ${n}`, LONG_MS));
    expect((await Promise.all(wanted)).filter((fence) => fence !== null)).toEqual([1]);
  });
});

describe('in PostgreSQL', () => {
  it('the tables are made again where they were lost', async () => {
    await new PostgresHeartbeats(database).beat('d', LONG_MS);
    await database.query('DROP SCHEMA annals_replicas CASCADE');
    await expect(new PostgresHeartbeats(database).all()).rejects.toThrow('42P01');
    await new PostgresHeartbeats(database).beat('d', LONG_MS);
    expect((await new PostgresHeartbeats(database).all()).map(({ replica }) => replica)).toEqual(['d']);
  });

  it('an error names no user and no host', async () => {
    const away = new ReplicaDatabase({ url: 'postgres://root:hunter2@127.0.0.1:9/none', timeoutMs: 1_000 });
    const error = await new PostgresHeartbeats(away).all().catch(String);
    expect(error).toBe('ReplicasUnavailable: the database does not take heartbeats (ECONNREFUSED)');
    await away.close();
  });
});
