import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import type { ConnectionSettings } from './connection.js';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { PostgresPool, type PoolOptions } from './postgres-pool.js';

class Unavailable extends Error {}

const OPTIONS: Omit<PoolOptions, 'address'> = {
  applicationName: 'annals pool.spec',
  connections: 2,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  idleTimeoutMs: 0,
  failure: (cause) => new Unavailable('no answer', { cause }),
};

describe('the pool over a real server', () => {
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  let folder: string;
  let postgres: EmbeddedPostgres;
  let address: ConnectionSettings;
  let running: Promise<void>;
  let whenRestarted = (): void => undefined;
  const pools: PostgresPool[] = [];
  const open = (options: Partial<PoolOptions> = {}): PostgresPool => {
    const pool = new PostgresPool({ address, ...OPTIONS, ...options });
    pools.push(pool);
    return pool;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'annals-pool-'));
    postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
    address = await postgres.start();
    running = postgres.keepRunning(() => whenRestarted());
  });
  afterEach(async () => void (await Promise.all(pools.splice(0).map((pool) => pool.close()))));
  afterAll(async () => {
    await postgres.stop();
    await running;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  it('goes on after a restart of the server; what was under way fails', async () => {
    const lost: Error[] = [];
    const pool = open({ onLost: (error) => lost.push(error) });
    // Two connections: one is idle when the server dies, one asks.
    const held = pool.transaction((client) => client.query('SELECT pg_sleep(60)'));
    await pool.query({ text: 'SELECT 1' });
    const fails = expect(held).rejects.toBeInstanceOf(Unavailable);
    const restarted = new Promise<void>((resolve) => (whenRestarted = resolve));
    process.kill(postgres.pid!, 'SIGQUIT');
    await fails;
    await restarted;
    const { rows } = await pool.query<{ n: number }>({ text: 'SELECT 2 AS n' });
    expect(rows).toEqual([{ n: 2 }]);
    expect(lost).toHaveLength(1);
  });

  it('keeps what a transaction did only where its work returns, and not false', async () => {
    const pool = open();
    await pool.query({ text: 'CREATE TABLE kept (n integer)' });
    const insert = (n: number, outcome: () => boolean): Promise<boolean> =>
      pool.transaction(async (client) => {
        await client.query('INSERT INTO kept VALUES ($1)', [n]);
        return outcome();
      });
    expect(await insert(1, () => true)).toBe(true);
    expect(await insert(2, () => false)).toBe(false);
    const thrown = new Error('in the middle');
    const fails = insert(3, () => {
      throw thrown;
    });
    await expect(fails).rejects.toBe(thrown);
    const refused = pool.transaction((client) => client.query('INSERT INTO kept VALUES (1 / 0)'));
    await expect(refused).rejects.toBeInstanceOf(Unavailable);
    const { rows } = await pool.query<{ n: number }>({ text: 'SELECT n FROM kept' });
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('lets those that take turns do so one after the other', async () => {
    const pool = open();
    const steps: string[] = [];
    const step = (name: string): Promise<void> =>
      pool.inTurn(7, async (client) => {
        steps.push(`${name} in`);
        await client.query('SELECT 1');
        steps.push(`${name} out`);
      });
    await Promise.all([step('a'), step('a')]);
    expect(steps).toEqual(['a in', 'a out', 'a in', 'a out']);
  });

  it('gives up a statement that takes too long, here and at the server', async () => {
    const pool = open({ isEndedByServer: true, statementTimeoutMs: 200 });
    await expect(pool.query({ text: 'SELECT pg_sleep(60)' })).rejects.toBeInstanceOf(Unavailable);
    await expect(open().query({ text: 'SELECT pg_sleep(60)' }, 200)).rejects.toBeInstanceOf(Unavailable);
  });

  it('leaves no statement of a transaction to the server that takes too long here', async () => {
    const pool = open({ statementTimeoutMs: 1_000 });
    const asks = pool.transaction((client) => client.query('SELECT pg_sleep(61)'));
    await expect(asks).rejects.toMatchObject({ cause: { code: '57014' } });
    const { rows } = await pool.query({
      text: `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(61)'`,
    });
    expect(rows).toEqual([]);
  });

  it('has the settings of its session', async () => {
    const pool = open({ settings: { synchronous_commit: 'on', statement_timeout: '1234ms' } });
    const shown = async (name: string): Promise<unknown> =>
      (await pool.query({ text: `SHOW ${name}` })).rows[0];
    expect(await shown('synchronous_commit')).toEqual({ synchronous_commit: 'on' });
    expect(await shown('statement_timeout')).toEqual({ statement_timeout: '1234ms' });
    expect(await shown('application_name')).toEqual({ application_name: 'annals pool.spec' });
  });

  it('ends a connection that nobody gives back, where it is destroyed', async () => {
    const pool = new PostgresPool({ address, ...OPTIONS });
    const kept = await new pool.driver.Pool().connect();
    const ended = new Promise<void>((resolve) => kept.once('end', resolve));
    pool.destroy();
    await ended;
    await expect(pool.query({ text: 'SELECT 1' })).rejects.toBeInstanceOf(Unavailable);
  });

  it('is closed once, however often it is asked', async () => {
    const pool = open();
    await pool.query({ text: 'SELECT 1' });
    await Promise.all([pool.close(), pool.close()]);
    await expect(pool.query({ text: 'SELECT 1' })).rejects.toBeInstanceOf(Unavailable);
  });
});

describe('a server that takes leave as it says that it is ready', () => {
  let server: Server | null = null;
  afterEach(() => void server?.close());

  it('ends no process', async () => {
    server = hastyServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd' };
    const pool = new PostgresPool({ address, ...OPTIONS });
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('uncaughtException', hear);
    try {
      for (let n = 0; n < 3; n++)
        await expect(pool.query({ text: 'SELECT 1' })).rejects.toBeInstanceOf(Unavailable);
      expect(unheard).toEqual([]);
    } finally {
      process.off('uncaughtException', hear);
      await pool.close();
    }
  });
});

/** A message of PostgreSQL's protocol. */
const message = (type: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** Says in one packet that it is ready, and that it ends. */
function hastyServer(): Server {
  const welcome = message('R', Buffer.alloc(4));
  const ready = message('Z', 'I');
  const goodbye = message('E', 'SFATAL\0', 'C57P01\0', 'Mterminating connection\0', '\0');
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, goodbye])));
  });
}
