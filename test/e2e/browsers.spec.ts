import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

const PAGE = 'https://app.example.com';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ env: { CORS_ORIGINS: `${PAGE}, http://localhost:5173`, LOG_LEVEL: 'debug' } });
});
afterAll(() => stage.close());

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(stage.service.origin + path, init);

interface Wish {
  readonly session?: string;
  readonly scopes?: readonly string[];
  readonly expires_s?: number;
}

async function tokenOf(wish: Wish = {}, maker: ServiceClient = stage.client): Promise<string> {
  const answer = await maker.post('/tokens', { scopes: ['run', 'read'], expires_s: 600, ...wish });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('annals_tok_')]);
  return answer.json<{ token: string }>().token;
}

const keyOf = async (scopes: readonly string[], project = 'default') => {
  const { key, id } = (await stage.client.post('/api-keys', { name: 'k', scopes, project })).json<{
    key: string;
    id: string;
  }>();
  return { client: stage.client.with(key), id };
};

describe('CORS_ORIGINS', () => {
  it('answers the question of a browser before the request, without a key', async () => {
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const answer = await ask('/', { method: 'OPTIONS', headers: { origin: PAGE, ...asked } });
    const said = Object.fromEntries(answer.headers);
    expect(answer.status).toBe(204);
    expect(said).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': expect.stringMatching(/Authorization.*Idempotency-Key.*Last-Event-ID/),
      vary: 'Origin',
    });
    expect(said).not.toHaveProperty('access-control-allow-credentials');
  });

  it('lets pages of these origins read answers, refusals and streams, and no others', async () => {
    const token = await tokenOf();
    const authorization = `Bearer ${token}`;
    const body = JSON.stringify({ message: stage.message('page') });
    for (const [origin, allowed] of [
      [PAGE, PAGE],
      ['http://localhost:5173', 'http://localhost:5173'],
      ['https://app.example.com.evil.org', null],
      ['https://APP.example.com', null],
      ['null', null],
    ] as const) {
      const headers = { origin, authorization, 'content-type': 'application/json' };
      const stream = await ask('/', { method: 'POST', headers, body });
      expect([stream.status, stream.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('event'),
      ]);
      expect(await stream.text()).toContain('agent_completed');
      const refused = await ask('/runs', { headers: { origin } });
      expect(refused.status).toBe(401);
      for (const answer of [stream, refused]) {
        expect(answer.headers.get('access-control-allow-origin')).toBe(allowed);
        expect(answer.headers.get('vary')).toBe('Origin');
      }
      const shown = stream.headers.get('access-control-expose-headers');
      expect(shown).toEqual(allowed && expect.stringContaining('Content-Location'));
    }
  });

  it('is off by default', async () => {
    const other = await Stage.open();
    try {
      const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
      const answer = await fetch(other.service.origin, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('vary')).toBeNull();
    } finally {
      await other.close();
    }
  });
});

describe('POST /tokens', () => {
  it('answers with the token and its end', async () => {
    const since = Date.now();
    const answer = await stage.client.post('/tokens', { scopes: ['read'], expires_s: 3600 });
    const { token, expires_at } = answer.json<{ token: string; expires_at: string }>();
    expect(Object.keys(answer.json())).toEqual(['token', 'expires_at']);
    expect(token).toMatch(/^annals_tok_[\w-]+\.[\w-]+$/);
    const madeAt = Date.parse(expires_at) - 3_600_000;
    expect(madeAt).toBeGreaterThan(since - 1_000);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
  });

  it('refuses what a token cannot be', async () => {
    const other = await (await keyOf(['run', 'read'], 'other')).client.runToEnd(stage.message('theirs'));
    const good = { scopes: ['read'], expires_s: 60 };
    for (const [wish, status] of [
      [{ ...good, expires_s: 3601 }, 400],
      [{ ...good, expires_s: 0 }, 400],
      [{ ...good, expires_s: 1.5 }, 400],
      [{ scopes: ['read'] }, 400],
      [{ ...good, scopes: [] }, 400],
      [{ ...good, scopes: ['read', 'admin'] }, 400],
      [{ ...good, project: 'x' }, 400],
      [{ ...good, session: '' }, 400],
      [{ ...good, session: 'ses_none' }, 404],
      [{ ...good, session: other.session }, 404],
    ] as const)
      expect([wish, (await stage.client.post('/tokens', wish)).status]).toEqual([wish, status]);
    const reader = (await keyOf(['read'])).client;
    expect((await reader.post('/tokens', { ...good, scopes: ['run'] })).status).toBe(403);
    expect((await reader.post('/tokens', good)).status).toBe(201);
    expect((await (await keyOf(['datastores'])).client.post('/tokens', good)).status).toBe(403);
    const token = stage.client.with(await tokenOf());
    expect((await token.post('/tokens', good)).status).toBe(403);
  });
});

describe('a token of one session', () => {
  it('starts and reads the runs of that session', async () => {
    const { session, run_id } = await stage.client.runToEnd(stage.message('first'));
    const token = stage.client.with(await tokenOf({ session }));
    const next = await token.runToEnd(stage.message('next'), { session });
    expect([next.session, next.status]).toEqual([session, 'completed']);
    for (const run of [run_id, next.run_id]) {
      expect((await token.get(`/runs/${run}`)).status).toBe(200);
      expect((await (await token.follow(`/runs/${run}`)).closed()).isOver).toBe(true);
      expect((await token.post(`/runs/${run}/cancel`)).status).toBe(202);
    }
    expect((await token.get(`/sessions/${session}`)).status).toBe(200);
    expect(await token.history(session)).toHaveLength(4);
    const { actor } = (await stage.client.get(`/runs/${next.run_id}`)).json();
    expect(actor).toBe('key_root');
  });

  it('knows no other session, and does nothing else', async () => {
    const [{ session }, other] = [
      await stage.client.runToEnd(stage.message('a')),
      await stage.client.runToEnd('b'),
    ];
    const token = stage.client.with(await tokenOf({ session }));
    const body = { message: 'hello' };
    for (const [method, path, status] of [
      ['POST', `/?session=${other.session}`, 404],
      ['POST', '/', 403],
      ['POST', `/get-messages?session=${other.session}`, 404],
      ['GET', `/sessions/${other.session}`, 404],
      ['GET', `/sessions/${other.session}/events`, 404],
      ['GET', `/runs/${other.run_id}`, 404],
      ['GET', `/runs/${other.run_id}/events`, 404],
      ['POST', `/runs/${other.run_id}/cancel`, 404],
      ['GET', `/runs/${other.run_id}?session=${session}`, 404],
      ['GET', '/runs/run_none', 404],
      ['POST', `/clear-messages?session=${session}`, 403],
      ['DELETE', `/sessions/${session}`, 403],
      ['GET', `/runs?session=${session}`, 403],
      ['GET', '/sessions', 403],
      ['GET', '/tasks', 403],
      ['GET', '/datastores', 403],
      ['GET', '/api-keys', 403],
      ['GET', '/metrics', 403],
    ] as const) {
      const answer = await token.call(method, path, path.startsWith('/?') || path === '/' ? { body } : {});
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
    const scheduled = { ...body, schedules: [{ schedule: 60, message: 'later' }] };
    expect((await token.post(`/?session=${session}`, scheduled)).status).toBe(403);
  });

  it('has the scopes that it was given', async () => {
    const { session } = await stage.client.runToEnd(stage.message('scoped'));
    const reader = stage.client.with(await tokenOf({ session, scopes: ['read'] }));
    const runner = stage.client.with(await tokenOf({ session, scopes: ['run'] }));
    expect((await reader.post(`/?session=${session}`, { message: 'x' })).status).toBe(403);
    expect((await runner.get(`/sessions/${session}`)).status).toBe(403);
    expect((await runner.runToEnd('x', { session })).status).toBe('completed');
  });
});

describe('a token of new sessions', () => {
  it('reads the sessions that were opened with it, goes on with them, and knows no others', async () => {
    const [mine, theirs] = [await tokenOf(), await tokenOf()].map((token) => stage.client.with(token));
    const headers = { 'idempotency-key': stage.message('key') };
    const opened = await mine!.runToEnd('hello', { headers });
    expect((await mine!.runToEnd('hello', { headers })).run_id).toBe(opened.run_id);
    const again = await mine!.runToEnd('and again', { session: opened.session });
    expect(again.session).toBe(opened.session);
    // The same Idempotency-Key of somebody else leads nowhere.
    const other = await theirs!.runToEnd('hello', { headers });
    expect(other.session).not.toBe(opened.session);
    expect((await stage.client.runToEnd('hello', { headers })).session).not.toBe(opened.session);
    for (const [client, status] of [
      [mine!, 200],
      [theirs!, 404],
    ] as const) {
      expect((await client.get(`/runs/${opened.run_id}`)).status).toBe(status);
      expect((await client.get(`/sessions/${opened.session}`)).status).toBe(status);
    }
    const elsewhere = await stage.client.runToEnd('elsewhere');
    expect((await mine!.get(`/runs/${elsewhere.run_id}`)).status).toBe(404);
    expect((await mine!.post(`/?session=${elsewhere.session}`, { message: 'x' })).status).toBe(404);
  });
});

describe('?token=', () => {
  it('opens event streams alone, takes no keys, and stands in no log', async () => {
    const run = await stage.client.runToEnd(stage.message('watched'));
    const token = await tokenOf({ session: run.session, scopes: ['read'] });
    for (const path of [`/runs/${run.run_id}/events`, `/sessions/${run.session}/events`]) {
      const leave = new AbortController();
      const { status, headers } = await ask(`${path}?token=${token}`, { signal: leave.signal });
      expect([status, headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/event-stream'),
      ]);
      leave.abort();
    }
    expect((await ask(`/sessions/${run.session}?token=${token}`)).status).toBe(401);
    expect(
      (await ask(`/get-messages?session=${run.session}&token=${token}`, { method: 'POST' })).status,
    ).toBe(401);
    const { client, id } = await keyOf(['read']);
    expect((await client.get(`/runs/${run.run_id}`)).status).toBe(200);
    const key = (await stage.client.post('/api-keys', { name: 'x', scopes: ['read'] })).json<{
      key: string;
    }>().key;
    expect((await ask(`/runs/${run.run_id}/events?token=${key}`)).status).toBe(401);
    expect((await ask(`/runs/${run.run_id}/events?token=${token}x`)).status).toBe(401);
    expect(id).toMatch(/^key_/);
    expect(stage.service.output).toContain('/runs/:run/events');
    expect(stage.service.output).not.toContain(token);
  });

  it('ends its streams with itself, and with the key that made it', async () => {
    const { client, id } = await keyOf(['run', 'read', 'admin']);
    const gate = new Gate();
    const message = stage.book.on(stage.message('long'), say('a', before(gate), 'b'));
    const stream = await client.run({ message, streaming_tokens: true });
    await stream.untilType('agent_response');
    const path = `/runs/${stream.run}/events`;
    const short = await ask(
      `${path}?token=${await tokenOf({ expires_s: 1, session: stream.session }, client)}`,
    );
    const token = await tokenOf({ session: stream.session }, client);
    const long = await ask(`${path}?token=${token}`);
    expect(await short.text()).not.toContain('agent_completed');
    expect((await stage.client.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
    expect(await long.text()).not.toContain('agent_completed');
    expect((await ask(`${path}?token=${token}`)).status).toBe(401);
    gate.open();
  });
});

describe('Location, Allow and RateLimit', () => {
  it('name what was made or begun, what a path takes, and what is left', async () => {
    const location = async (path: string, body?: object) => {
      const answer = await stage.client.post(path, body);
      return [answer.headers['location'], answer.json<Record<string, string>>()] as const;
    };
    const [run, accepted] = await location('/', { message: 'x', background: true });
    expect(run).toBe(`/runs/${accepted['run_id']}`);
    expect((await location(`${run}/cancel`))[0]).toBe(run);
    const [datastore, { datastore_id }] = await location('/create-datastore', {
      name: 'd',
      type: 'documents',
    });
    expect(datastore).toBe(`/datastores/${datastore_id}`);
    const [key, { id }] = await location('/api-keys', { name: 'k', scopes: ['read'] });
    expect(key).toBe(`/api-keys/${id}`);
    const wrong = await stage.client.call('PUT', '/runs');
    expect([wrong.status, wrong.headers['allow'], wrong.json()['code']]).toEqual([
      405,
      'GET, HEAD',
      'method_not_allowed',
    ]);
    const { headers } = await stage.client.get('/runs');
    expect(headers['ratelimit-policy']).toMatch(/^"key";q=\d+;w=60$/);
    expect(headers['ratelimit']).toBe(
      `"key";r=${String(headers['ratelimit-remaining'])};t=${String(headers['ratelimit-reset'])}`,
    );
  });
});
