import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function annals(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Said> {
  const child = spawn(
    resolve('node_modules/.bin/node'),
    [resolve('dist/apps/server/src/cli/main.js'), ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A port on which nobody listens, so that no service of this machine is asked.
      env: { PATH: process.env['PATH'] ?? '', ENV_FILE: '/dev/null', PORT: '1', ...env },
    },
  );
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start();
});
afterAll(() => service.dispose());

interface Made {
  readonly id: string;
  readonly key: string;
  readonly webhook_secret: string;
}

/** The same commands, whoever keeps the keys meanwhile; `env` says where. */
async function aLifeOfAKey(env: Readonly<Record<string, string>>): Promise<Made> {
  const wish = ['--scopes', 'read', '--project', 'ci', '--expires-at', '2099-01-01T00:00:00Z'];
  const made = await annals(['keys', 'create', 'robot', ...wish, '--json'], env);
  expect([made.code, made.err]).toEqual([0, '']);
  const key = JSON.parse(made.out) as Made;
  expect(key).toMatchObject({
    name: 'robot',
    scopes: ['read'],
    project: 'ci',
    key: expect.stringMatching(/^annals_/),
    webhook_secret: expect.stringMatching(/^whsec_/),
    expires_at: '2099-01-01T00:00:00.000Z',
  });
  const listed = await annals(['keys', 'list', '--json'], env);
  const { items } = JSON.parse(listed.out) as { items: { id: string }[] };
  expect(items.find(({ id }) => id === key.id)).toMatchObject({ name: 'robot', last_used_at: null });
  const table = await annals(['keys', 'list'], env);
  expect(table.out).toMatch(/^id +name +project +scopes +created +expires +last used\n/);
  expect(table.out).toMatch(
    new RegExp(`^${key.id} +robot +ci +read +\\S+Z +2099-01-01T00:00:00.000Z +-$`, 'm'),
  );
  return key;
}

const status = async (key: string): Promise<number> => (await service.client(key).get('/runs')).status;

describe('annals keys, beside a running service', () => {
  const env = () => ({ ANNALS_URL: service.origin, ANNALS_KEY: ADMIN_KEY });

  it('makes, lists and revokes through it', async () => {
    const { id, key } = await aLifeOfAKey(env());
    expect(await status(key)).toBe(200);
    expect(await annals(['keys', 'revoke', id], env())).toEqual({
      code: 0,
      out: `${id} is revoked\n`,
      err: '',
    });
    expect(await status(key)).toBe(401);
  });

  it('finds it where the settings say that it listens, with the set admin key', async () => {
    const { code, out } = await annals(['keys', 'create', 'plain'], {
      PORT: String(service.port),
      ANNALS_ADMIN_KEY: ADMIN_KEY,
    });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^id {14}key_\w+\nkey {13}annals_\S+\nwebhook secret {2}whsec_\S+\n$/),
    ]);
    expect(await status(/annals_\S+/.exec(out)?.[0] ?? '')).toBe(200);
  });

  it('says in one line why not', async () => {
    const at = { PORT: String(service.port), DATA_DIR: service.dataDir };
    const reader = (await service.client().post('/api-keys', { name: 'r', scopes: ['read'] })).json<Made>();
    for (const [words, more, message] of [
      [['keys', 'list'], at, /ANNALS_KEY must be set to an admin key/],
      [
        ['keys', 'list'],
        { ...at, ANNALS_KEY: reader.key },
        /refuses it \(403\): this key lacks the scope admin/,
      ],
      [['keys', 'revoke', 'key_none'], { ...at, ANNALS_KEY: ADMIN_KEY }, /refuses it \(404\)/],
      [['keys', 'list'], { ANNALS_URL: 'http://127.0.0.1:1', ANNALS_KEY: ADMIN_KEY }, /none answers/],
      // On another port than the settings say: its log is not to be had.
      [['keys', 'list'], { DATA_DIR: service.dataDir }, /is in use by process \d+/],
    ] as const) {
      const { code, out, err } = await annals(words, more);
      expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^[^\n]+\n$/)]);
      expect(err).toMatch(message);
    }
  });
});

describe('annals keys, while the service stands still', () => {
  it('makes and revokes on the log of DATA_DIR, which the service finds', async () => {
    await service.kill('SIGTERM');
    const env = { DATA_DIR: service.dataDir };
    const [kept, gone] = [await aLifeOfAKey(env), await aLifeOfAKey(env)];
    expect((await annals(['keys', 'revoke', gone.id, '--json'], env)).out).toBe(
      `${JSON.stringify({ id: gone.id, revoked: true })}\n`,
    );
    const twice = await annals(['keys', 'revoke', gone.id], env);
    expect([twice.code, twice.err]).toEqual([1, 'the key does not exist\n']);
    const wrong = await annals(['keys', 'create', 'x', '--scopes', 'king'], env);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^[^\n]*scopes[^\n]*\n$/)]);
    await service.launch();
    expect([await status(kept.key), await status(gone.key)]).toEqual([200, 401]);
  });
});
