import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SqliteEventLog } from '#event-log';
import { ProcessBackground, SecretBox, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { ApiKeys } from '#access';
import { ApiKeysController } from '../../apps/server/src/features/keys/api-keys.controller.js';
import { Authenticator } from '../../apps/server/src/edge/admission/authenticator.js';
import { KeyEnd } from '../../apps/server/src/features/keys/key-end.js';
import { createHttpApp, listen } from '../../apps/server/src/edge/create-http-app.js';

const ROOT = 'the-operators-own-key';
const logger = new SilentLogger();
const [clock, random] = [new SystemClock(), new SystemRandom()];

type Json = Record<string, unknown> & { readonly items?: readonly Record<string, unknown>[] };

class NoKeyEnd extends KeyEnd {
  override async ended(): Promise<void> {}
}

describe('/api-keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-http-keys-'));
  let log: SqliteEventLog;
  let app: NestFastifyApplication;
  let origin: string;
  beforeAll(async () => {
    log = await SqliteEventLog.open({ folder, logger });
    const box = new SecretBox(Buffer.alloc(32, 1));
    const background = new ProcessBackground(logger);
    const keys = new ApiKeys(
      { log, clock, random, box, background, logger },
      { adminKey: ROOT, webhookSecret: null },
    );
    await keys.start(new AbortController().signal);
    @Module({
      controllers: [ApiKeysController],
      providers: [
        { provide: ApiKeys, useValue: keys },
        { provide: Authenticator, useExisting: ApiKeys },
        { provide: KeyEnd, useClass: NoKeyEnd },
      ],
    })
    class KeysModule {}
    const settings = { maxBodyBytes: 65_536, rateLimitRpm: 10_000 };
    app = await createHttpApp(KeysModule, { settings, logger, clock, random });
    origin = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    app.getHttpServer().closeAllConnections();
    await app.close();
    await log.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (method: string, path: string, key: string, body?: unknown): Promise<[number, Json]> => {
    const answer = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return [answer.status, text === '' ? {} : (JSON.parse(text) as Json)];
  };

  test('a key is shown once, works at once and ends at once', async () => {
    const [status, issued] = await ask('POST', '/api-keys', ROOT, {
      name: 'ci',
      scopes: ['admin'],
      project: 'p1',
    });
    expect(status).toBe(201);
    expect(issued).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^annals_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
      name: 'ci',
      scopes: ['admin'],
      project: 'p1',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const key = String(issued['key']);
    const { key: _key, webhook_secret: _secret, ...listed } = issued;
    const more = { expires_at: null, last_used_at: expect.stringMatching(/T\d\d:00:00\.000Z$/) };
    expect(await ask('GET', '/api-keys', key)).toEqual([
      200,
      { items: [{ ...listed, ...more }], next_cursor: null },
    ]);
    expect(await ask('DELETE', `/api-keys/${String(issued['id'])}`, ROOT)).toEqual([204, {}]);
    expect((await ask('GET', '/api-keys', key))[0]).toBe(401);
    expect((await ask('DELETE', `/api-keys/${String(issued['id'])}`, ROOT))[0]).toBe(404);
  });

  test.each<[string, object]>([
    ['name', { scopes: ['run'] }],
    ['name', { name: '', scopes: ['run'] }],
    ['scopes', { name: 'a' }],
    ['scopes', { name: 'a', scopes: [] }],
    ['scopes[1]', { name: 'a', scopes: ['run', 'fly'] }],
    ['project', { name: 'a', scopes: ['run'], project: '' }],
    ['expires_at', { name: 'a', scopes: ['run'], expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { name: 'a', scopes: ['run'], expires_at: 'soon' }],
    ['expires_at', { name: 'a', scopes: ['run'], expires_at: null }],
    ['projekt', { name: 'a', scopes: ['run'], projekt: 'p' }],
  ])('400 names %s', async (path, body) => {
    const [status, problem] = await ask('POST', '/api-keys', ROOT, body);
    expect([status, problem['errors']]).toMatchObject([400, [{ path }]]);
  });

  test('keeps projects apart, and keys without the scope out', async () => {
    const [, one] = await ask('POST', '/api-keys', ROOT, { name: 'one', scopes: ['admin'], project: 'one' });
    const [, two] = await ask('POST', '/api-keys', ROOT, {
      name: 'two',
      scopes: ['run', 'read', 'datastores'],
    });
    expect(two['project']).toBe('default');
    const [admin, caller] = [String(one['key']), String(two['key'])];
    expect((await ask('DELETE', `/api-keys/${String(two['id'])}`, admin))[0]).toBe(404);
    expect(
      (await ask('POST', '/api-keys', admin, { name: 'x', scopes: ['run'], project: 'default' }))[0],
    ).toBe(403);
    expect((await ask('GET', '/api-keys', admin))[1].items?.map(({ name }) => name)).toEqual(['one']);
    expect((await ask('GET', '/api-keys', caller))[0]).toBe(403);
    expect((await ask('GET', '/api-keys?limit=1', ROOT))[1]['next_cursor']).toEqual(expect.any(String));
    for (const query of ['limit=0', 'foo=1', 'cursor=nonsense', 'limit=1&limit=2']) {
      expect((await ask('GET', `/api-keys?${query}`, ROOT))[0]).toBe(400);
    }
  });
});
