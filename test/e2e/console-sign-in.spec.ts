import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Search } from '../support/search-bytes.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

let service: ServiceProcess;
let admin: ServiceClient;
beforeAll(async () => {
  service = await ServiceProcess.start();
  admin = service.client();
});
afterAll(() => service.dispose());

interface SignedIn {
  readonly key: { readonly id: string; readonly name: string } | null;
  readonly csrf: string;
  readonly expires_at: string;
  readonly to: string;
}

/** Sends as a browser would, or as none would. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const answer = await fetch(service.origin + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: <T>() => JSON.parse(text) as T };
}

/** undici sets `Sec-Fetch-*` by itself: what a browser of another site says is sent by hand. */
const statusOf = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(service.origin + path, { method, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject).end();
  });

async function signIn(way: object) {
  const answer = await send('POST', '/console/auth', {}, way);
  if (answer.status !== 200) return { status: answer.status, cookie: '', set: '', told: null };
  const set = answer.headers.get('set-cookie') ?? '';
  return { status: 200, cookie: set.split(';')[0] ?? '', set, told: answer.json<SignedIn>() };
}

async function signedIn(way: object = { key: ADMIN_KEY }) {
  const { cookie, told } = await signIn(way);
  if (told === null) throw new Error('refused');
  return { cookie, told, own: { cookie, 'annals-csrf': told.csrf } };
}

async function newKey(wish: object) {
  const answer = await admin.post('/api-keys', wish);
  expect(answer.status).toBe(201);
  return answer.json<{ id: string; key: string }>();
}

async function linkFor(id: string, by = admin, wish: object = {}) {
  const answer = await by.post(`/api-keys/${id}/sign-in-links`, wish);
  const { url = '', expires_at = '' } = answer.json<Record<string, string>>();
  return { status: answer.status, url, expires_at, token: url.split('#')[1] ?? '' };
}

describe('a browser in the console', () => {
  it('comes in with a key that it does not keep', async () => {
    const { port } = new URL(service.origin);
    const { cookie, set, told } = await signIn({ key: ADMIN_KEY });
    expect(set).toMatch(
      new RegExp(`^annals_console_${port}=[\\w-]{43}; Max-Age=86\\d{3}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(told).toMatchObject({
      key: { id: 'key_root', name: 'first admin key', project: 'default', scopes: ['admin'] },
      to: '/console',
      demo_model: true,
    });
    const again = (await send('GET', '/console/auth', { cookie })).json<SignedIn>();
    const { to: _, ...who } = told!;
    expect(again).toEqual(who);
    expect((await send('GET', '/console/auth')).json<SignedIn>()).toMatchObject({ key: null, csrf: null });
  });

  it('is the key for what it asks itself, and nobody for what other pages have it ask', async () => {
    const { cookie, told } = await signedIn();
    const csrf = { 'annals-csrf': told.csrf };
    const wrong = { 'annals-csrf': told.csrf.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) };
    const own = { 'sec-fetch-site': 'same-origin' };
    const tries: readonly [string, Record<string, string>, number][] = [
      ['GET', { cookie }, 401],
      ['GET', { cookie, ...own }, 200],
      ['GET', { cookie, ...csrf }, 200],
      ['GET', { cookie, ...wrong }, 401],
      ['GET', { cookie, 'sec-fetch-site': 'same-site' }, 401],
      ['GET', { cookie, 'sec-fetch-site': 'cross-site' }, 401],
      ['GET', { cookie: `a=b; ${cookie}; c=d`, ...own }, 200],
      ['GET', { cookie: cookie.replace(/.$/, '') + '-', ...own }, 401],
      ['GET', { cookie, ...csrf, authorization: 'Bearer nonsense' }, 401],
      ['DELETE', { cookie, ...own }, 401],
      ['DELETE', { cookie, ...csrf }, 404],
    ];
    for (const [method, headers, status] of tries) {
      const path = method === 'GET' ? '/runs' : '/api-keys/key_none';
      expect([method, headers, await statusOf(method, path, headers)]).toEqual([method, headers, status]);
    }
    for (const method of ['GET', 'DELETE'])
      expect(await statusOf(method, '/console/auth', { cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf('DELETE', '/console/auth', { cookie })).toBe(401);
  });

  it('is refused with a wrong key, an unknown link, or half a request', async () => {
    const { token } = (await admin.post('/tokens', { scopes: ['read'], expires_s: 60 })).json<{
      token: string;
    }>();
    for (const way of [{ key: 'wrong' }, { key: token }, { link: 'wrong' }, { link: 'key_root.a.b' }])
      expect([way, (await signIn(way)).status]).toEqual([way, 401]);
    for (const way of [{}, { key: ADMIN_KEY, link: 'a' }, { key: '' }, { key: 1 }, { key: ADMIN_KEY, x: 1 }])
      expect([way, (await signIn(way)).status]).toEqual([way, 400]);
  });

  it('stays in over kill -9, and out once it has left: what it followed ends', async () => {
    const { session } = await admin.runToEnd({ message: 'What is 6 x 7?' });
    const { own } = await signedIn();
    const left = await signedIn();
    await send('DELETE', '/console/auth', left.own);
    await service.restart('SIGKILL', { env: { PORT: new URL(service.origin).port } });
    expect((await send('GET', '/runs', left.own)).status).toBe(401);
    expect((await send('GET', '/runs', own)).status).toBe(200);
    const stream = await fetch(`${service.origin}/sessions/${session}/log`, { headers: own });
    const ended = stream.text().catch(() => 'cut');
    const out = await send('DELETE', '/console/auth', own);
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    await ended;
    expect((await send('GET', '/runs', own)).status).toBe(401);
    expect((await send('DELETE', '/console/auth', own)).status).toBe(204);
  });

  it('is out when its key is no more', async () => {
    const { id, key } = await newKey({ name: 'approver', scopes: ['read', 'approve'] });
    const { own, told } = await signedIn({ key });
    expect(told.key).toMatchObject({ id, name: 'approver' });
    expect((await send('POST', '/', own, { message: 'x' })).status).toBe(403);
    await admin.call('DELETE', `/api-keys/${id}`);
    expect((await send('GET', '/runs', own)).status).toBe(401);
    expect((await send('GET', '/console/auth', own)).json<SignedIn>().key).toBeNull();
  });
});

describe('a link to the console', () => {
  it('lets one browser in, however many come', async () => {
    const { id } = await newKey({ name: 'approver', scopes: ['approve'] });
    const link = await linkFor(id, admin, { to: '/console/approvals/act_1?x=1', expires_s: 60 });
    expect(link.url).toMatch(
      new RegExp(`^${service.origin}/console/welcome#key_\\w+\\.[\\w-]{43}\\.[\\w-]{22}$`),
    );
    expect(Date.parse(link.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    const came = await Promise.all(Array.from({ length: 20 }, () => signIn({ link: link.token })));
    const inside = came.filter(({ status }) => status === 200);
    expect(came.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 401),
    ]);
    expect(inside[0]?.told).toMatchObject({ key: { id }, to: '/console/approvals/act_1?x=1' });
    await service.restart();
    expect((await signIn({ link: link.token })).status).toBe(401);
  });

  it('is made for keys that one administers, and for the first admin key only by itself', async () => {
    const other = await newKey({ name: 'other', scopes: ['admin'], project: 'other' });
    const mine = await newKey({ name: 'mine', scopes: ['admin'] });
    const as = (key: string): ServiceClient => service.client(key);
    expect((await linkFor('key_root', as(mine.key))).status).toBe(404);
    expect((await linkFor(other.id, as(mine.key))).status).toBe(404);
    expect((await linkFor('key_none')).status).toBe(404);
    expect((await linkFor(mine.id, as(mine.key))).status).toBe(201);
    expect((await linkFor(other.id)).status).toBe(201);
    const { token } = await linkFor('key_root');
    expect((await signIn({ link: token })).told?.key).toMatchObject({ id: 'key_root' });
    const reader = await newKey({ name: 'reader', scopes: ['read'] });
    expect((await linkFor(reader.id, as(reader.key))).status).toBe(403);
    const wrong = [
      'https://x.example/',
      '//x',
      '/consoles',
      '/console//x',
      '/console/\\x',
      '/console/\n',
      '/',
    ];
    for (const to of wrong) expect([to, (await linkFor(mine.id, admin, { to })).status]).toEqual([to, 400]);
    for (const expires_s of [59, 604_801, 1.5])
      expect((await linkFor(mine.id, admin, { expires_s })).status).toBe(400);
  });

  it('ends with its key', async () => {
    const { id } = await newKey({ name: 'gone', scopes: ['read'] });
    const { token } = await linkFor(id);
    await admin.call('DELETE', `/api-keys/${id}`);
    expect((await signIn({ link: token })).status).toBe(401);
  });
});

it('nothing that lets somebody in stands on the disk', async () => {
  const { cookie, told } = await signedIn();
  const { token } = await linkFor('key_root');
  await service.kill('SIGTERM');
  const secrets = [cookie.split('=')[1]!, told.csrf, token, token.split('.')[1]!];
  expect(await new Search(secrets).below(service.dataDir)).toEqual([]);
});

it('the first start prints a link, which works once; with CONSOLE=off there is none, and cookies are nothing', async () => {
  const env = { ANNALS_ADMIN_KEY: '' };
  const first = await ServiceProcess.prepare();
  try {
    await first.launch({ env });
    const [, url = ''] = /\n {2}(http\S+\/console\/welcome#\S+)\n/.exec(first.output) ?? [];
    expect(url.startsWith(first.origin)).toBe(true);
    const answer = await fetch(`${first.origin}/console/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: url.split('#')[1] }),
    });
    const { csrf, to } = (await answer.json()) as SignedIn;
    expect(to).toBe('/console/chat');
    const own = {
      cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0]!,
      'annals-csrf': csrf,
    };
    const asked = async (path: string) => (await fetch(first.origin + path, { headers: own })).status;
    expect([await asked('/runs'), await asked('/console/auth')]).toEqual([200, 200]);
    const { port } = new URL(first.origin);
    await first.kill();
    await first.launch({ env: { ...env, CONSOLE: 'off', PORT: port } });
    await until(async () => (await asked('/runs')) === 401);
    expect(await asked('/console/auth')).toBe(404);
  } finally {
    await first.dispose();
  }
});
