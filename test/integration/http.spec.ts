import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PinoLogger } from '../../apps/server/src/observability/pino-logger.js';
import { HealthChecks } from '../../apps/server/src/edge/probes/health-checks.js';
import { type Shell, type SomeChecks, exchange, startShell } from './http-shell.js';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const JSON_TYPE = { 'content-type': 'application/json' };
type Body = Record<string, unknown>;
const bodyOf = async (answer: Response): Promise<Body> => (await answer.json()) as Body;

describe('the HTTP shell', () => {
  const lines: string[] = [];
  let shell: Shell;
  beforeAll(async () => {
    shell = await startShell({ logger: new PinoLogger('debug', { write: (line) => lines.push(line) }) });
  });
  afterAll(async () => {
    shell.app.getHttpServer().closeAllConnections();
    await shell.app.close();
  });
  const ask = (path: string, init: RequestInit = {}) => fetch(shell.origin + path, init);
  const post = (path: string, key: string, body: string | null = '{}', headers = {}) =>
    ask(path, { method: 'POST', headers: { ...bearer(key), ...JSON_TYPE, ...headers }, body });

  test('a refusal is a problem with everything that the documents name', async () => {
    const answer = await post('/items/x', 'annals_admin', '{}', { 'x-request-id': 'mine-1' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(await bodyOf(answer)).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'the item does not exist',
      code: 'not_found',
      request_id: 'mine-1',
    });
    expect(await bodyOf(await post('/items/busy', 'annals_admin'))).toMatchObject({
      status: 409,
      code: 'session_busy',
    });
  });

  test('an unsafe request id is replaced', async () => {
    for (const id of ['a b', 'x'.repeat(129), '"quoted"']) {
      const answer = await ask('/healthz', { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/);
    }
  });

  test('the log that takes nothing is a 503 that can be tried again', async () => {
    const answer = await post('/items/down', 'annals_admin');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    const body = await bodyOf(answer);
    expect(body['code']).toBe('log_unavailable');
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test('what nobody expected is told to nobody, and logged once without secrets', async () => {
    lines.length = 0;
    const answer = await ask('/boom?token=hunter2', { headers: bearer('annals_read') });
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal', detail: 'an unexpected error occurred' });
    expect(text).not.toMatch(/postgres|secret/);
    expect(lines.filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
    expect(lines.join('')).not.toMatch(/secret@|hunter2|annals_read/);
  });

  test('401 comes before all else', async () => {
    const strangers: RequestInit[] = [
      {},
      { headers: { authorization: 'Bearer nobody' } },
      { headers: { authorization: 'Basic annals_run' } },
      { headers: { authorization: 'annals_run' } },
      { headers: { authorization: 'Bearer' } },
      { headers: { authorization: 'Bearer annals_run annals_run' } },
    ];
    for (const init of strangers) {
      for (const path of ['/echo', '/nowhere', '/items/x']) {
        const answer = await ask(path, { ...init, method: 'POST', body: 'not json' });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect((await bodyOf(answer))['code']).toBe('unauthenticated');
      }
    }
    expect(
      (await ask('/echo', { method: 'POST', headers: { authorization: 'bearer annals_run' } })).status,
    ).toBe(200);
  });

  test('403 comes before what is wrong with the body, that before 404', async () => {
    expect((await post('/items/x', 'annals_run', 'not json')).status).toBe(403);
    expect((await post('/items/x', 'annals_admin', 'not json')).status).toBe(400);
    expect((await post('/items/x', 'annals_admin', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('/items/x', 'annals_admin', `"${'x'.repeat(300_000)}"`)).status).toBe(413);
    expect((await post('/items/x', 'annals_admin')).status).toBe(404);
  });

  test('the admin scope includes the others, others include nothing', async () => {
    expect((await post('/echo', 'annals_admin')).status).toBe(200);
    expect((await post('/echo', 'annals_read')).status).toBe(403);
  });

  test('another method of a path is a 405 that names those it has: for a key, or where none is needed', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/echo?x=1', 'POST'],
      ['OPTIONS', '/echo', 'POST'],
      ['TRACE', '/echo', 'POST'],
      ['GET', '/items/a%2Fb', 'POST'],
      ['HEAD', '/stream', 'GET'],
      ['POST', '/stream', 'GET'],
      ['POST', '/boom', 'GET, HEAD'],
      ['DELETE', '/healthz', 'GET, HEAD'],
    ] as const) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      const stranger = await exchange(shell.port, `${head}\r\n`);
      expect([path, stranger.status]).toEqual([path, path === '/healthz' ? 405 : 401]);
      const answer = await exchange(shell.port, `${head}Authorization: Bearer annals_admin\r\n\r\n`);
      expect([path, answer.status, /^allow: (.*)\r$/im.exec(answer.head)?.[1]]).toEqual([path, 405, allow]);
      if (method !== 'HEAD') expect(answer.body).toContain('method_not_allowed');
    }
  });

  test('a path that does not exist is a 404 for a key', async () => {
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['GET', '/echo/'],
      ['GET', '/ECHO'],
      ['OPTIONS', '*'],
      // What no character can be made of names nothing.
      ['POST', '/items/%zz'],
      ['POST', '/items/%E0%A4%A?x=1'],
      ['POST', '/items/%'],
    ] as const) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer annals_admin\r\n\r\n`;
      const answer = await exchange(shell.port, head);
      expect([path, answer.status, /^allow:/im.test(answer.head)]).toEqual([path, 404, false]);
      expect(answer.body).toContain('not_found');
    }
  });

  test('HEAD answers as GET does, without a body, but for streams', async () => {
    const answer = await ask('/healthz', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await ask('/stream', { method: 'HEAD', headers: bearer('annals_read') })).status).toBe(405);
    expect((await ask('/boom', { method: 'HEAD' })).status).toBe(401);
  });

  test('health needs no key, and readiness tells what is missing', async () => {
    expect(await bodyOf(await ask('/healthz'))).toEqual({ status: 'ok' });
    const health = shell.app.get<SomeChecks>(HealthChecks);
    health.checks = [
      { name: 'log', isOk: true, isRequired: true },
      { name: 'kafka', isOk: false, isRequired: false, detail: 'no broker' },
    ];
    const ready = await ask('/readyz');
    expect([ready.status, await bodyOf(ready)]).toEqual([
      200,
      { status: 'ok', checks: { log: { status: 'ok' }, kafka: { status: 'failing', detail: 'no broker' } } },
    ]);
    health.checks = [{ name: 'log', isOk: false, isRequired: true }];
    const unready = await ask('/readyz');
    expect([unready.status, (await bodyOf(unready))['status']]).toEqual([503, 'unavailable']);
  });

  test('one line at debug for a request: its route, never its query', async () => {
    lines.length = 0;
    await post('/echo?session=hunter2', 'annals_run', '{"message":"hunter2"}', { 'x-request-id': 'line-1' });
    const own = lines.filter((line) => line.includes('line-1'));
    expect(own).toHaveLength(1);
    expect(JSON.parse(own[0] ?? '')).toMatchObject({ level: 'debug', route: 'POST /echo', status: 200 });
    expect(lines.join('')).not.toMatch(/hunter2|annals_run/);
  });

  test('requests one after another on a connection are answered one after another', async () => {
    const one = (id: string) =>
      `POST /echo HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer annals_run\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const text = await new Promise<string>((resolve) => {
      let all = '';
      const socket = new Socket().connect(shell.port, '127.0.0.1', () =>
        socket.write(one('a') + one('b') + one('c')),
      );
      socket.on('data', (chunk) => {
        all += chunk.toString();
        if (all.match(/HTTP\/1\.1 200/g)?.length === 3) socket.destroy();
      });
      socket.on('close', () => resolve(all));
    });
    expect([...text.matchAll(/x-request-id: (.)/g)].map(([, id]) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('the rate limit', () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await startShell({ rateLimitRpm: 3 });
  });
  afterAll(() => shell.app.close());

  test('counts all requests of a key, and tells where it stands', async () => {
    const ask = (key: string, path = '/echo') =>
      fetch(shell.origin + path, {
        method: 'POST',
        headers: { ...bearer(key), connection: 'close' },
        body: null,
      });
    const first = await ask('annals_run');
    expect(first.headers.get('ratelimit-limit')).toBe('3');
    expect(first.headers.get('ratelimit-remaining')).toBe('2');
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(50);
    expect((await ask('annals_run', '/items/x')).status).toBe(403);
    expect((await ask('annals_run', '/nowhere')).status).toBe(404);
    for (const path of ['/echo', '/items/x', '/nowhere']) {
      const late = await ask('annals_run', path);
      expect(late.status).toBe(429);
      expect((await bodyOf(late))['code']).toBe('rate_limited');
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(late.headers.get('ratelimit-remaining')).toBe('0');
    }
    expect((await ask('annals_admin')).status).toBe(200);
    expect((await ask('nobody')).status).toBe(401);
    expect((await fetch(`${shell.origin}/healthz`)).status).toBe(200);
  });
});

test('connections over the limit are told 503', async () => {
  const shell = await startShell({ limits: { maxConnections: 2 } });
  const sockets = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<Socket>((resolve) => {
          const socket = new Socket().connect(shell.port, '127.0.0.1', () => resolve(socket));
        }),
    ),
  );
  const answer = await exchange(shell.port, '');
  expect(answer.status).toBe(503);
  expect(answer.body).toContain('overloaded');
  const closed = Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
  );
  for (const socket of sockets) socket.destroy();
  await closed;
  // The server hears of a closed socket when it hears of it; a client that tries again comes in.
  let status = 503;
  while (status === 503) {
    ({ status } = await exchange(
      shell.port,
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ));
  }
  expect(status).toBe(200);
  await shell.app.close();
});
