import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filesWith } from '../support/search-bytes.js';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const SECRET = 'Quellenweg siebzehn';
const DIE_AT_TYPE = resolve('test/e2e/hooks/die-at-type.ts');
const LONG = `${SECRET} `.repeat(20_000);

let service: ServiceProcess;
let client: ServiceClient;
beforeAll(async () => {
  service = await ServiceProcess.start();
  client = service.client();
});
afterAll(() => service.dispose());

/** One of the programs beside the service, on its folder. */
async function command(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { env: { PATH: process.env['PATH'] ?? '', DATA_DIR: service.dataDir, ...env } };
  const words = [resolve('dist/apps/server/src/cli/main.js'), name];
  try {
    return (await promisify(execFile)(resolve('node_modules/.bin/node'), words, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`;
  }
}

async function withSecrets(): Promise<{ session: string; runs: string[]; tasks: readonly string[] }> {
  const key = { 'idempotency-key': 'erase me' };
  const first = await client.runToEnd({ message: `I live at ${SECRET}.` }, { headers: key });
  const { session } = first;
  const long = await client.runToEnd({ message: LONG }, { session });
  const schedules = [{ schedule: '0 3 * * *', message: `remind me of ${SECRET}` }];
  const third = await client.runToEnd({ message: 'and later', schedules }, { session });
  return {
    session,
    runs: [first.run_id, long.run_id, third.run_id],
    tasks: third.task_ids,
  };
}

describe('what was said in a session', () => {
  it('stands nowhere in the clear, and is gone when the session is erased', async () => {
    const { session, runs, tasks } = await withSecrets();
    const other = await client.runToEnd({ message: 'somebody else' });
    expect((await client.history(session))[0]?.content).toContain(SECRET);
    expect((await client.get(`/sessions/${session}`)).json()).toMatchObject({ title: expect.any(String) });
    expect(await filesWith(service.dataDir, [SECRET])).toEqual([]);

    const open = await client.follow(`/sessions/${session}`);
    const answer = await client.call('DELETE', `/sessions/${session}`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(answer.json()).toMatchObject({
      session,
      erased_at: expect.stringMatching(/^\d{4}-.*Z$/),
      events: expect.any(Number),
      not_reached: [expect.any(String), expect.any(String), expect.stringContaining('30 days')],
    });
    await open.closed();

    const gone = async (): Promise<void> => {
      const asked: [string, number][] = [];
      for (const path of [
        `/sessions/${session}`,
        `/sessions/${session}/events`,
        ...runs.flatMap((run) => [`/runs/${run}`, `/runs/${run}/events`, `/runs/${run}/deliveries`]),
        ...tasks.map((task) => `/tasks/${task}`),
      ])
        asked.push([path, (await client.get(path)).status]);
      expect(asked.filter(([, status]) => status !== 404)).toEqual([]);
      expect((await client.post(`/get-messages?session=${session}`)).status).toBe(404);
      expect((await client.post(`/?session=${session}`, { message: 'x' })).status).toBe(404);
      expect((await client.call('DELETE', `/sessions/${session}`)).status).toBe(404);
      // Another payload, too: whether it is another one is not to be found out any more.
      for (const message of [`I live at ${SECRET}.`, 'I live nowhere.']) {
        const headers = { 'idempotency-key': 'erase me', accept: 'application/json' };
        expect((await client.post('/', { message }, { headers })).status).toBe(404);
      }
      const listed = await client.all<{ session: string }>('/sessions');
      expect(listed.map(({ session }) => session)).toEqual([other.session]);
      expect(await client.all(`/runs?session=${session}`)).toEqual([]);
      expect(await client.all('/tasks')).toEqual([]);
    };
    await gone();
    expect(await client.history(other.session)).toHaveLength(3);
    await service.restart('SIGKILL');
    await gone();

    await service.kill('SIGTERM');
    expect(await command('verify-log')).toMatch(/ proven, [1-9]\d* erased\).* \(0 not ended\), 0 faults/);
    expect(await command('rebuild')).toMatch(/events in/);
    await service.launch();
    await gone();
    expect(await client.history(other.session)).toHaveLength(3);
  });

  it('is gone under a run that is under way, too', async () => {
    const stream = await client.run({ message: 'Say hello', streaming_tokens: true });
    await stream.until(() => true);
    const { session } = stream;
    const answer = await client.call('DELETE', `/sessions/${session}`);
    expect(answer.status).toBe(200);
    await stream.closed();
    expect((await client.get(`/sessions/${session}`)).status).toBe(404);
  });

  it('is erased by an admin key of its project only', async () => {
    const { session } = await client.runToEnd({ message: 'mine' });
    const keyFor = async (scopes: readonly string[], project: string): Promise<ServiceClient> => {
      const answer = await client.post('/api-keys', { name: 'k', scopes, project });
      return client.with(answer.json<{ key: string }>().key);
    };
    const runner = await keyFor(['run', 'read'], 'default');
    expect((await runner.call('DELETE', `/sessions/${session}`)).status).toBe(403);
    const stranger = await keyFor(['admin'], 'elsewhere');
    expect((await stranger.call('DELETE', `/sessions/${session}`)).status).toBe(404);
    expect((await client.history(session)).length).toBeGreaterThan(0);
    expect((await client.call('DELETE', '/sessions/ses_unknown')).status).toBe(404);
  });
});

/** Keys of the store that somebody with the master key could use: those that were destroyed have none. */
function keysDestroyed(): number {
  const db = new DatabaseSync(join(service.dataDir, 'keys', 'keys.db'), { readOnly: true });
  try {
    return Number(db.prepare('SELECT count(*) AS n FROM keys WHERE wrapped IS NULL').get()?.['n']);
  } finally {
    db.close();
  }
}

describe('a process that is killed in the middle of an erasure', () => {
  const begin = async (at: string): Promise<string> => {
    await service.restart('SIGTERM', { imports: [DIE_AT_TYPE], env: { DIE_AT: at } });
    const { session } = await client.runToEnd({ message: LONG });
    expect(existsSync(join(service.dataDir, 'files', session))).toBe(true);
    await client.call('DELETE', `/sessions/${session}`).catch(() => undefined);
    expect(await service.exited).toMatchObject({ signal: 'SIGKILL' });
    return session;
  };

  it('before it is on the log has erased nothing', async () => {
    const session = await begin('sent:session_erased');
    await service.launch();
    expect((await client.history(session))[0]?.content).toBe(LONG);
    expect((await client.call('DELETE', `/sessions/${session}`)).status).toBe(200);
    expect(existsSync(join(service.dataDir, 'files', session))).toBe(false);
  });

  it('when it is on the log finishes it at the next start', async () => {
    const before = keysDestroyed();
    const session = await begin('stored:session_erased');
    expect(keysDestroyed()).toBe(before);
    await service.launch();
    expect((await client.post(`/get-messages?session=${session}`)).status).toBe(404);
    expect((await client.get(`/sessions/${session}`)).status).toBe(404);
    const folder = join(service.dataDir, 'files', session);
    await until(() => !existsSync(folder));
    expect(keysDestroyed()).toBe(before + 1);
    await service.kill('SIGTERM');
    expect(await command('verify-log')).toMatch(/ 0 faults/);
    await service.launch();
  });
});

describe('the keys', () => {
  it('are wrapped anew while the service runs, and it goes on with both', async () => {
    const { session } = await client.runToEnd({ message: 'before' });
    expect(await command('rotate-master-key')).toMatch(/^\d+ keys wrapped anew/);
    await client.runToEnd({ message: 'after' }, { session });
    await service.restart('SIGTERM');
    expect((await client.history(session)).map(({ content }) => content)).toEqual(
      expect.arrayContaining(['before', 'after']),
    );
  });

  it('that are missing, or wrapped with another master key, stop the start with one line', async () => {
    const { session } = await client.runToEnd({ message: 'kept' });
    await service.kill('SIGTERM');
    const aside = await mkdtemp(join(tmpdir(), 'annals-keys-'));
    const keys = join(service.dataDir, 'keys');
    const refusal = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
      const from = service.output.length;
      service.spawn({ env });
      expect((await service.exited).code).toBe(1);
      const lines = service.output.slice(from).trim().split('\n');
      expect(lines).toHaveLength(1);
      return lines[0] ?? '';
    };
    await cp(keys, join(aside, 'keys'), { recursive: true });
    expect(await refusal({ ANNALS_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') })).toMatch(
      /^ANNALS_MASTER_KEY must be the key/,
    );
    await rm(keys, { recursive: true });
    expect(await refusal()).toMatch(/key store is missing.*restore the key store/);
    await rm(keys, { recursive: true });
    await rename(join(aside, 'keys'), keys);
    await rm(aside, { recursive: true });
    await service.launch();
    expect(await client.history(session)).toHaveLength(3);
  });
});
