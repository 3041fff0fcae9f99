import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { ServiceProcess } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

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
});
afterAll(async () => {
  await stage.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

describe('with DATABASE_URL', () => {
  it('the service keeps its lists there, starts no PostgreSQL of its own, and says nothing of the password', async () => {
    const { run_id, session } = await stage.client.runToEnd(stage.message('outside'));
    await stage.service.restart('SIGKILL');
    expect((await stage.client.get(`/runs/${run_id}`)).json()).toMatchObject({ status: 'completed' });
    expect((await stage.client.history(session)).length).toBe(2);
    expect(stage.service.leftovers()).toEqual([]);
    expect(stage.service.output).not.toContain(new URL(env['DATABASE_URL'] ?? '').password);
  });

  it('runs and histories are answered while the database is away, and lists with 503', async () => {
    const { client, service } = stage;
    await service.kill('SIGTERM');
    service.spawn({ env: { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:9/none' } });
    await until(async () => (await alive()) === 200);
    const { session, status } = await client.runToEnd(stage.message('away'));
    expect(status).toBe('completed');
    expect((await client.history(session)).length).toBe(2);
    expect((await client.get('/runs')).status).toBe(503);
    expect((await client.get('/readyz')).status).toBe(503);
    expect(service.output).not.toContain('hunter2');
    await service.restart('SIGTERM');
    expect((await client.get(`/sessions/${session}`)).json()).toMatchObject({ message_count: 2 });
  });

  it('another log is not mixed into its tables', async () => {
    const other = await ServiceProcess.prepare({ env });
    try {
      other.spawn();
      await until(() => other.output.includes('nothing is projected any more'));
      await until(() => other.output.includes('"listening"'));
      expect((await other.client().get('/readyz')).status).toBe(503);
      expect((await stage.client.all('/runs')).length).toBe(2);
    } finally {
      await other.dispose();
    }
  });

  it('whoever can write to it makes no key, widens none, and revives none', async () => {
    const issue = async (body: object) =>
      (await stage.client.post('/api-keys', body)).json<{ id: string; key: string }>();
    const [reader, dead, hidden] = [
      await issue({ name: 'reader', scopes: ['read'], project: 'small' }),
      await issue({ name: 'dead', scopes: ['admin'] }),
      await issue({ name: 'hidden', scopes: ['read'] }),
    ];
    await stage.client.call('DELETE', `/api-keys/${dead.id}`);
    expect((await stage.client.get('/runs')).status).toBe(200);
    const forged = 'annals_forged_by_who_can_write_rows';
    await inDatabase(
      `UPDATE annals.api_keys SET scopes = 'admin', project = 'default' WHERE id = '${reader.id}'`,
      `UPDATE annals.api_keys SET revoked_at = NULL WHERE id = '${dead.id}'`,
      `DELETE FROM annals.api_keys WHERE id = '${hidden.id}'`,
      `INSERT INTO annals.api_keys (id, project, name, scopes, hash, webhook_secret, created_at)
        VALUES ('key_root', 'default', 'x', 'admin', encode(sha256('${forged}'), 'hex'), '', 0),
          ('key_forged', 'default', 'x', 'admin', encode(sha256('${forged}2'), 'hex'), '', 0)`,
      `UPDATE annals.checkpoints SET position = position + 1000000`,
    );
    await stage.service.kill();
    // Its lists may never be ready: where they stand is wrong, too.
    stage.service.spawn();
    await until(async () => (await alive()) === 200);
    const statusOf = async (key: string, path: string) => (await stage.client.with(key).get(path)).status;
    expect(await statusOf(reader.key, '/api-keys')).toBe(403);
    expect(await statusOf(dead.key, '/api-keys')).toBe(401);
    expect(await statusOf(hidden.key, '/api-keys')).toBe(403);
    for (const key of [forged, `${forged}2`]) expect(await statusOf(key, '/api-keys')).toBe(401);
    await inDatabase(`UPDATE annals.checkpoints SET position = position - 1000000`);
    await stage.service.restart('SIGKILL');
  });

  it('whoever can write to it reads nothing of another project through the service', async () => {
    const body = { name: 'thief', scopes: ['run', 'read'], project: 'thieves' };
    const { key } = (await stage.client.post('/api-keys', body)).json<{ key: string }>();
    const thief = stage.client.with(key);
    const own = await thief.runToEnd(stage.message('mine'));
    const secret = stage.message('heliotrope');
    const { session, run_id, task_ids } = await stage.client.runToEnd({
      message: secret,
      schedules: [{ schedule: 3600, message: 'heliotrope, later' }],
    });
    expect((await stage.client.get(`/tasks/${task_ids[0]}`)).status).toBe(200);
    await inDatabase(
      ...['sessions', 'runs', 'tasks'].map(
        (table) => `UPDATE annals.${table} SET project = 'thieves' WHERE session = '${session}'`,
      ),
    );
    // Whatever the service remembers, and with an empty memory.
    for (const isNew of [false, true]) {
      if (isNew) await stage.service.restart('SIGKILL');
      for (const path of [`/runs/${run_id}`, `/sessions/${session}`, `/tasks/${task_ids[0]}`])
        expect([path, (await thief.get(path)).status]).toEqual([path, 404]);
      expect((await thief.post(`/get-messages?session=${session}`)).status).toBe(404);
      for (const path of ['/runs', '/sessions', '/tasks', `/runs?session=${session}`])
        expect([path, JSON.stringify(await thief.all(path))]).toEqual([
          path,
          expect.not.stringMatching(/heliotrope/),
        ]);
      expect((await thief.all<{ session: string }>('/sessions')).map((one) => one.session)).toEqual([
        own.session,
      ]);
    }
    expect((await stage.client.history(session)).length).toBe(2);
  });

  it('needs the keys that replicas share', async () => {
    const { DATABASE_URL = '' } = env;
    const refused = await Stage.open({ env: { DATABASE_URL } }).catch((error: unknown) => String(error));
    expect(refused).toContain('ANNALS_MASTER_KEY must be set with DATABASE_URL');
  });
});

async function inDatabase(...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Of a service that has perhaps not said yet where it listens. */
async function alive(): Promise<number> {
  try {
    return (await stage.client.get('/healthz')).status;
  } catch {
    return 0;
  }
}
