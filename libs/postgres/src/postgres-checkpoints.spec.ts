import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { CHECKPOINTS, PostgresCheckpoints } from './postgres-checkpoints.js';
import { PostgresPool } from './postgres-pool.js';
import { raw, statement } from './tables/sql.js';
import { createTable } from './tables/table-statements.js';

const SCHEMA = 'followed';
const at = (position: number, logId = 'a log') => ({ logId, position });

describe('checkpoints beside the rows', () => {
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  const checkpoint = new PostgresCheckpoints(SCHEMA, 'a follower');
  let folder: string;
  let postgres: EmbeddedPostgres;
  let pool: PostgresPool;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'annals-checkpoints-'));
    postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
    pool = new PostgresPool({
      address: await postgres.start(),
      applicationName: 'annals checkpoints.spec',
      connections: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 5_000,
      idleTimeoutMs: 0,
      failure: (cause) => new Error('no answer', { cause }),
    });
  });
  beforeEach(async () => {
    await pool.query({ text: `DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE` });
    await pool.query({ text: `CREATE SCHEMA ${SCHEMA}` });
    await pool.query(statement(createTable(CHECKPOINTS, raw(SCHEMA)))(undefined));
  });
  afterAll(async () => {
    await pool.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  it('are there from the first batch on', async () => {
    expect(await checkpoint.load(pool)).toBeNull();
    expect(await checkpoint.advance(pool, { from: at(0), to: at(5) })).toBe(false);
    await checkpoint.begin(pool, 'a log');
    expect(await checkpoint.advance(pool, { from: at(0), to: at(5) })).toBe(true);
    expect(await checkpoint.load(pool)).toEqual(at(5));
  });

  it('stay where they are when a follower begins for which another has begun', async () => {
    await checkpoint.begin(pool, 'a log');
    await checkpoint.advance(pool, { from: at(0), to: at(5) });
    await checkpoint.begin(pool, 'another log');
    expect(await checkpoint.load(pool)).toEqual(at(5));
  });

  it('move only from the place of the same log at which they stand', async () => {
    await checkpoint.begin(pool, 'a log');
    for (const from of [at(1), at(0, 'another log')])
      expect(await checkpoint.advance(pool, { from, to: at(5) })).toBe(false);
    const other = new PostgresCheckpoints(SCHEMA, 'another follower');
    await other.begin(pool, 'a log');
    expect(await other.advance(pool, { from: at(0), to: at(2 ** 53 - 1) })).toBe(true);
    expect(await checkpoint.load(pool)).toEqual(at(0));
    expect(await other.load(pool)).toEqual(at(2 ** 53 - 1));
  });

  it('are moved by one of two that write the same batch', async () => {
    await checkpoint.begin(pool, 'a log');
    const met = Promise.withResolvers<void>();
    const [first, second] = await Promise.all([
      pool.transaction(async (client) => {
        const isMoved = await checkpoint.advance(client, { from: at(0), to: at(5) });
        met.resolve();
        return isMoved;
      }),
      pool.transaction(async (client) => {
        await met.promise;
        return checkpoint.advance(client, { from: at(0), to: at(5) });
      }),
    ]);
    expect([first, second]).toEqual([true, false]);
    expect(await checkpoint.load(pool)).toEqual(at(5));
  });

  it('stay, too, where the rows of the batch cannot be written', async () => {
    await checkpoint.begin(pool, 'a log');
    const failed = pool.transaction(async (client) => {
      await checkpoint.advance(client, { from: at(0), to: at(5) });
      return client.query('SELECT 1 / 0');
    });
    await expect(failed).rejects.toThrow('no answer');
    expect(await checkpoint.load(pool)).toEqual(at(0));
  });
});
