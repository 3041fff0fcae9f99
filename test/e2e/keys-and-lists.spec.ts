import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly created_at: string;
}

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

async function keyFor(scopes: readonly string[], project?: string): Promise<ServiceClient & { id: string }> {
  const answer = await stage.client.post('/api-keys', {
    name: scopes.join(),
    scopes,
    ...(project === undefined ? {} : { project }),
  });
  expect(answer.status).toBe(201);
  const { id, key } = answer.json<{ id: string; key: string }>();
  return Object.assign(stage.client.with(key), { id });
}

describe('lists', () => {
  it('are read page by page without a gap or a double, while new runs come', async () => {
    const reader = await keyFor(['run', 'read'], 'pages');
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.push((await reader.runToEnd(stage.message('page'))).run_id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await reader.get(`/runs?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const page: Page<Run> = answer.json<Page<Run>>();
      seen.push(...page.items.map(({ run_id }) => run_id));
      cursor = page.next_cursor;
      await reader.runToEnd(stage.message('meanwhile'));
    }
    expect(seen).toEqual(made.toReversed());
  });

  it('are narrowed by session, status and time', async () => {
    const reader = await keyFor(['run', 'read'], 'filters');
    const first = await reader.runToEnd(stage.message('one'));
    const second = await reader.runToEnd(stage.message('two'), { session: first.session });
    const other = await reader.runToEnd(stage.message('three'));
    const ids = async (query: string): Promise<string[]> =>
      (await reader.all<Run>(`/runs?${query}`)).map(({ run_id }) => run_id);
    expect(await ids(`session=${first.session}`)).toEqual([second.run_id, first.run_id]);
    expect(await ids('status=completed')).toHaveLength(3);
    expect(await ids('status=failed')).toEqual([]);
    const { created_at } = (await reader.get(`/runs/${other.run_id}`)).json<Run>();
    expect(await ids(`from=${created_at}`)).toEqual([other.run_id]);
    expect(await ids(`to=${created_at}`)).toEqual([second.run_id, first.run_id]);
    const { next_cursor } = (await reader.get('/runs?limit=1&status=completed')).json<Page<Run>>();
    for (const [path, status] of [
      ['/runs?limit=2&status=completed', 200],
      ['/runs?limit=2', 200],
      ['/sessions?limit=1', 400],
    ] as const)
      expect([path, (await reader.get(`${path}&cursor=${next_cursor}`)).status]).toEqual([path, status]);
    for (const query of ['status=odd', 'from=yesterday', 'limit=0', 'cursor=odd', 'unknown=1'])
      expect([query, (await reader.get(`/runs?${query}`)).status]).toEqual([query, 400]);
  });

  it('show a session as its runs left it', async () => {
    const reader = await keyFor(['run', 'read'], 'sessions');
    const first = await reader.runToEnd(stage.message('Say hello'));
    await reader.runToEnd(stage.message('again'), { session: first.session });
    const sessions = await reader.all<Record<string, unknown>>('/sessions');
    expect(sessions).toEqual([
      {
        session: first.session,
        forked_from: null,
        title: first.messages[0]?.content,
        message_count: 4,
        last_status: 'completed',
        cost: '0',
        created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]+\.\d{3}Z$/),
      },
    ]);
    expect((await reader.get(`/sessions/${first.session}`)).json()).toEqual(sessions[0]);
  });

  it('know a run in the moment in which it was accepted', async () => {
    for (let n = 0; n < 20; n++) {
      const answer = await stage.client.post('/', { message: stage.message('now'), background: true });
      const { run_id, session } = answer.json<Run>();
      const [run, listed] = await Promise.all([
        stage.client.get(`/runs/${run_id}`),
        stage.client.get(`/sessions/${session}`),
      ]);
      expect([run.status, listed.status]).toEqual([200, 200]);
    }
  });
});

describe('keys', () => {
  it('let in who has one, and nobody else', async () => {
    for (const key of ['', 'annals_wrong', 'annals_the_admin_key_of_the_tests2']) {
      const stranger = stage.client.with(key);
      for (const [method, path] of [
        ['POST', '/'],
        ['GET', '/runs'],
        ['GET', '/sessions'],
        ['POST', '/get-messages?session=x'],
        ['GET', '/api-keys'],
      ] as const)
        expect([path, (await stranger.call(method, path)).status]).toEqual([path, 401]);
      expect((await stranger.get('/healthz')).status).toBe(200);
      expect((await stranger.get('/readyz')).status).toBe(200);
    }
  });

  it('open what their scopes say', async () => {
    const { run_id, session } = await stage.client.runToEnd(stage.message('scopes'));
    const reader = await keyFor(['read']);
    const runner = await keyFor(['run']);
    const codes = async (client: ServiceClient): Promise<number[]> => {
      const answers = [
        await client.post('/', { message: 'hi', background: true }),
        await client.post(`/runs/${run_id}/cancel`),
        await client.post(`/clear-messages?session=${session}`),
        await client.post(`/get-messages?session=${session}`),
        await client.get('/runs'),
        await client.get(`/runs/${run_id}/events`),
        await client.get('/sessions'),
        await client.get('/api-keys'),
        await client.post('/api-keys', { name: 'x', scopes: ['read'] }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await codes(reader)).toEqual([403, 403, 403, 200, 200, 200, 200, 403, 403]);
    expect(await codes(runner)).toEqual([202, 202, 200, 403, 403, 403, 403, 403, 403]);
  });

  it('see nothing of another project: 404 for its sessions and runs', async () => {
    const { run_id, session } = await stage.client.runToEnd(stage.message('ours'));
    const other = await keyFor(['run', 'read', 'admin'], 'elsewhere');
    const answers = await Promise.all([
      other.get(`/runs/${run_id}`),
      other.get(`/runs/${run_id}/events`),
      other.post(`/runs/${run_id}/cancel`),
      other.get(`/sessions/${session}`),
      other.get(`/sessions/${session}/events`),
      other.post(`/get-messages?session=${session}`),
      other.post(`/clear-messages?session=${session}`),
      other.post(`/?session=${session}`, { message: 'mine?' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(404));
    expect(await other.all('/runs')).toEqual([]);
    expect(await other.all(`/runs?session=${session}`)).toEqual([]);
    expect((await stage.client.history(session)).length).toBe(2);
  });

  it('are gone at once when they are deleted, also after a restart, and are shown once', async () => {
    const doomed = await keyFor(['run', 'read', 'admin']);
    expect((await doomed.get('/runs')).status).toBe(200);
    expect((await stage.client.call('DELETE', `/api-keys/${doomed.id}`)).status).toBe(204);
    expect((await doomed.get('/runs')).status).toBe(401);
    const kept = await keyFor(['read']);
    await stage.service.restart('SIGKILL');
    expect((await doomed.get('/runs')).status).toBe(401);
    expect((await kept.get('/runs')).status).toBe(200);
    const list = await stage.client.get('/api-keys?limit=200');
    expect(list.text).not.toMatch(/"key"|hash|whsec_/);
  });
});

describe('refusals', () => {
  it('are 404 for what can be no id, U+0000 and bytes that are no text among it', async () => {
    for (const id of ['%00', '%00x', 'run_%00', 'ses_%00', '%F0%9F%98%80', "';--", 'x'.repeat(5000)])
      for (const path of [`/runs/${id}`, `/runs/${id}/events`, `/sessions/${id}`, `/sessions/${id}/events`])
        expect([path.slice(0, 40), (await stage.client.get(path)).status]).toEqual([path.slice(0, 40), 404]);
  });

  it('are problems with a code, a request id and the fields that are wrong', async () => {
    const answer = await stage.client.post('/', { message: '', mode: 'odd', colour: 'red' });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = answer.json<{ errors: { path: string }[] } & Record<string, unknown>>();
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem['request_id']).toBe(answer.headers['x-request-id']);
    expect(new Set(problem.errors.map(({ path }) => path))).toEqual(new Set(['message', 'mode', 'colour']));
  });

  it('come before anything is started', async () => {
    const before = (await stage.client.all('/runs')).length;
    for (const body of [
      '{',
      '[]',
      'null',
      '"x"',
      '{}',
      '{"message":1}',
      '{"message":"a\\u0000"}',
      '{"message":"\\ud800"}',
    ]) {
      const answer = await stage.client.post('/', body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    expect((await stage.client.post('/?session=ses_none', { message: 'x' })).status).toBe(404);
    expect((await stage.client.all('/runs')).length).toBe(before);
  });
});
