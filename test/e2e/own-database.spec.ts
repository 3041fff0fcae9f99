import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '../../libs/read-models/src/postgres/embedded-postgres.js';
import { ServiceProcess } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

/** A PostgreSQL that is not the service's own, as an operator has it. */
let folder: string;
let postgres: EmbeddedPostgres;
let env: Record<string, string>;
let stage: Stage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-database-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  const { user, password, port, database } = await postgres.start();
  env = {
    DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  stage = await Stage.open({ env });
}, 60_000);
afterAll(async () => {
  await stage.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}, 60_000);

describe('with DATABASE_URL', () => {
  it('the service keeps its lists there, starts no PostgreSQL of its own, and says nothing of the password', async () => {
    const { run_id, session } = await stage.client.runToEnd(stage.message('outside'));
    await stage.service.restart('SIGKILL');
    expect((await stage.client.get(`/runs/${run_id}`)).json()).toMatchObject({ status: 'completed' });
    expect((await stage.client.history(session)).length).toBe(2);
    expect(stage.service.leftovers()).toEqual([]);
    expect(stage.service.output).not.toContain(new URL(env['DATABASE_URL'] ?? '').password);
  }, 60_000);

  it('runs and histories are answered while the database is away, and lists with 503', async () => {
    const { client, service } = stage;
    await service.kill('SIGTERM');
    service.spawn({ env: { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:9/none' } });
    while ((await alive()) !== 200) await sleep(10);
    const { session, status } = await client.runToEnd(stage.message('away'));
    expect(status).toBe('completed');
    expect((await client.history(session)).length).toBe(2);
    expect((await client.get('/runs')).status).toBe(503);
    expect((await client.get('/readyz')).status).toBe(503);
    expect(service.output).not.toContain('hunter2');
    await service.restart('SIGTERM');
    expect((await client.get(`/sessions/${session}`)).json()).toMatchObject({ message_count: 2 });
  }, 60_000);

  it('another log is not mixed into its tables', async () => {
    const other = await ServiceProcess.prepare({ env });
    try {
      other.spawn();
      while (!other.output.includes('nothing is projected any more')) await sleep(10);
      while (!other.output.includes('"listening"')) await sleep(10);
      expect((await other.client().get('/readyz')).status).toBe(503);
      expect((await stage.client.all('/runs')).length).toBe(2);
    } finally {
      await other.dispose();
    }
  }, 60_000);

  it('needs the keys that replicas share', async () => {
    const { DATABASE_URL = '' } = env;
    const refused = await Stage.open({ env: { DATABASE_URL } }).catch((error: unknown) => String(error));
    expect(refused).toContain('ANNALS_MASTER_KEY must be set with DATABASE_URL');
  }, 60_000);
});

/** Of a service that has perhaps not said yet where it listens. */
async function alive(): Promise<number> {
  try {
    return (await stage.client.get('/healthz')).status;
  } catch {
    return 0;
  }
}
