import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { ConnectTrace } from '../support/connect-trace.js';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { Gate, before, call, say } from '../support/scripted-turn.js';
import type { Answer, Ended, Message, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { traced } from '../support/traced.js';
import { until } from '../support/until.js';

interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly replay_of: string | null;
  readonly drift: number | null;
}

interface Waiting extends Ended {
  readonly actions: readonly { readonly action_id: string; readonly kind: string }[];
}

const TOOL = { name: 'look_up', description: 'Looks a word up', parameters: { type: 'object' } };
const JSON_ANSWER = { headers: { accept: 'application/json' } };

let stage: Stage;
let client: ServiceClient;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-replay-'));
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  client = stage.client;
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

const replay = (run: string, body: object = {}, options: object = JSON_ANSWER): Promise<Answer> =>
  client.post(`/runs/${run}/replay`, body, options);
const runOf = async (run: string): Promise<Run> => (await client.get(`/runs/${run}`)).json<Run>();
const replaysOf = async (run: string): Promise<Run[]> =>
  (await client.all<Run>('/runs')).filter(({ replay_of }) => replay_of === run);
const answered = (text = 'done'): Promise<Ended> =>
  client.runToEnd(stage.book.on(stage.message('replayed'), say(text)));

/** What a client was told, but for what names the session. */
const told = (messages: readonly Message[]): unknown[] =>
  messages.map(({ type, content }) => ({ type, content }));

/** Runs it with everything that leads out of the house: a tool server, a person, the caller, a callback. */
async function withEverything(shop: McpFixture, receiver: CallbackReceiver): Promise<string> {
  const message = stage.book.on(
    stage.message('everything'),
    say(...call(0, 'c0', 'sell', { n: 1 })),
    say(...call(0, 'c1', 'look_up', { word: 'ant' })),
    say('done'),
  );
  const body = {
    message,
    tools: [TOOL],
    mcp_servers: [{ serverName: 'shop', serverUrl: shop.url }],
    approvals: { default: 'ask' },
    callback: { url: receiver.url },
    background: true,
  };
  const { run_id: run } = (await client.post('/', body)).json<Ended>();
  for (const decision of [{ decision: 'approve' }, { decision: 'answer', result: 'an insect' }]) {
    let open: Waiting['actions'] = [];
    await until(async () => {
      open = await client.all<Waiting['actions'][number]>(`/actions?run=${run}&status=open`);
      return open.length > 0;
    });
    expect((await client.post(`/actions/${open[0]!.action_id}/resolve`, decision)).status).toBe(200);
  }
  await receiver.ended(run);
  return run;
}

describe('a replay', () => {
  traced('calls nobody but the model: no tool server, no person, no callback', async () => {
    const shop = await McpFixture.start({ tools: [{ name: 'sell' }] });
    const receiver = await CallbackReceiver.start();
    const [shopPort, hookPort, modelPort] = [shop.url, receiver.url, stage.model.url].map((url) =>
      Number(new URL(url).port),
    ) as [number, number, number];
    try {
      const then = await ConnectTrace.of(stage.service.pid, join(folder, 'then'));
      const run = await withEverything(shop, receiver);
      expect([...(await then.ports())]).toEqual(expect.arrayContaining([shopPort, hookPort]));
      const [requests, received] = [shop.requests.length, receiver.received.length];
      const again = await ConnectTrace.of(stage.service.pid, join(folder, 'again'));
      const answer = await replay(run);
      const made = answer.json<Ended>();
      expect(made).toMatchObject({ status: 'completed', response: 'done', warnings: [] });
      const ports = await again.ports();
      ports.delete(modelPort);
      expect([...ports]).toEqual([]);
      expect([shop.requests.length, receiver.received.length]).toEqual([requests, received]);
      expect(shop.calls).toEqual(['sell {"n":1}']);
      expect(await runOf(made.run_id)).toMatchObject({ replay_of: run, drift: 0 });
      expect(await client.all(`/actions?run=${made.run_id}`)).toEqual([]);
      expect(await client.all(`/runs/${made.run_id}/deliveries`)).toEqual([]);
    } finally {
      await shop.close();
      await receiver.close();
    }
  });

  it('says the same when the tool server and the receiver are gone', async () => {
    const shop = await McpFixture.start({ tools: [{ name: 'sell' }] });
    const receiver = await CallbackReceiver.start();
    const run = await withEverything(shop, receiver);
    await Promise.all([shop.close(), receiver.close()]);
    const made = (await replay(run)).json<Ended>();
    const { session } = await runOf(run);
    expect(told(made.messages)).toEqual(told(await client.history(session)));
    expect(made.messages.map(({ type }) => type)).toContain('agent_tool_use');
    expect(await client.get(`/runs/${run}/diff/${made.run_id}`).then((diff) => diff.json())).toMatchObject({
      same_response: true,
      same_tool_calls: true,
    });
  });

  it('tells of a call that the record holds no result of, and counts it', async () => {
    const shop = await McpFixture.start({ tools: [{ name: 'sell' }] });
    const message = stage.book.on(
      stage.message('drifts'),
      (attempt) => say(...call(0, 'c0', 'sell', { n: attempt })),
      say('done'),
    );
    const mcp_servers = [{ serverName: 'shop', serverUrl: shop.url }];
    const { run_id: run } = await client.runToEnd({ message, mcp_servers });
    await shop.close();
    const stream = await client.stream('POST', `/runs/${run}/replay`, { body: {} });
    await stream.closed();
    const types = stream.records.map(({ event }) => event.type);
    expect(types.slice(types.indexOf('agent_tool_use'), types.indexOf('agent_step'))).toEqual([
      'agent_tool_use',
      'agent_drift',
      'agent_tool_response',
    ]);
    const drift = stream.records.find(({ event }) => event.type === 'agent_drift');
    expect(JSON.parse(drift!.json)).toEqual({
      type: 'agent_drift',
      session: stream.session,
      content: '{"tool":"sell","input":{"n":1}}',
    });
    const [listed] = await replaysOf(run);
    expect(listed).toMatchObject({ run_id: stream.run, drift: 1, status: 'completed' });
    expect(await runOf(run)).toMatchObject({ replay_of: null, drift: null });
    expect(shop.calls).toEqual(['sell {"n":0}']);
  });
});

describe('POST /runs/{id}/replay', () => {
  it('answers as POST / does: events, JSON, or at once', async () => {
    const { run_id: run, session } = await answered();
    const stream = await client.stream('POST', `/runs/${run}/replay`);
    await stream.closed();
    expect([stream.status, stream.lines.at(0)?.split(' ')[0]]).toEqual([200, 'agent_started']);
    expect(stream.lines.at(-1)).toMatch(/^agent_completed/);
    const json = await replay(run, { mode: 'max', system: 'Be kind.', rules: ['no lies'], model: 'other' });
    expect(json.json<Ended>()).toMatchObject({ status: 'completed', response: 'done' });
    expect(json.headers['content-location']).toBe(`/runs/${json.json<Ended>().run_id}`);
    const ask = stage.book.asks.at(-1)!.request;
    expect(ask.model).toBe('other');
    expect(JSON.stringify(ask.messages[0])).toMatch(/Be kind\..*no lies/);
    const accepted = await replay(run, { background: true }, {});
    const { run_id: made, session: of } = accepted.json<Ended>();
    expect([accepted.status, accepted.headers.location]).toEqual([202, `/runs/${made}`]);
    expect(of).not.toBe(session);
    await until(async () => (await runOf(made)).status === 'completed');
    expect(await replaysOf(run)).toHaveLength(3);
  });

  it('is the same replay again with its Idempotency-Key', async () => {
    const [{ run_id: run }, { run_id: other }] = [await answered(), await answered()];
    const options = { headers: { accept: 'application/json', 'idempotency-key': `replay ${run}` } };
    const both = [await replay(run, { mode: 'max' }, options), await replay(run, { mode: 'max' }, options)];
    expect(both[1]!.json()).toEqual(both[0]!.json());
    for (const [of, body] of [
      [run, {}],
      [other, { mode: 'max' }],
    ] as const)
      expect((await replay(of, body, options)).json()).toMatchObject({
        status: 422,
        code: 'idempotency_mismatch',
      });
    expect(await replaysOf(run)).toHaveLength(1);
    expect(await replaysOf(other)).toHaveLength(0);
  });

  it('replays a replay, which is one of its own', async () => {
    const { run_id: run } = await answered();
    const first = (await replay(run)).json<Ended>();
    const second = (await replay(first.run_id)).json<Ended>();
    expect(second).toMatchObject({ status: 'completed', response: 'done' });
    expect(await runOf(second.run_id)).toMatchObject({ replay_of: first.run_id, drift: 0 });
  });

  it('names the field that it does not take', async () => {
    const { run_id: run } = await answered();
    for (const [body, path] of [
      [{ mode: 'fastest' }, 'mode'],
      [{ model: '' }, 'model'],
      [{ model: 'm'.repeat(201) }, 'model'],
      [{ system: 3 }, 'system'],
      [{ rules: 'no lies' }, 'rules'],
      [{ rules: ['x'.repeat(4_001)] }, 'rules[0]'],
      [{ tools: 'real' }, 'tools'],
      [{ background: 'yes' }, 'background'],
      [{ message: 'another' }, 'message'],
      [{ budget: '1' }, 'budget'],
    ] as const)
      expect((await replay(run, body)).json()).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ path }],
      });
    expect(await replaysOf(run)).toEqual([]);
  });

  it("is refused of what is not there, another's, not over, or erased, and to a key that only reads", async () => {
    const keyOf = async (wish: object): Promise<ServiceClient> =>
      client.with(String((await client.post('/api-keys', { name: 'k', ...wish })).json()['key']));
    const { run_id: run, session } = await answered();
    const reader = await keyOf({ scopes: ['read'] });
    const stranger = await keyOf({ scopes: ['run', 'read'], project: 'elsewhere' });
    const path = `/runs/${run}/replay`;
    expect((await reader.post(path, {}, JSON_ANSWER)).json()).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    expect((await stranger.post(path, {}, JSON_ANSWER)).status).toBe(404);
    for (const none of ['run_ses_none_a', 'x', `${run}x`]) expect((await replay(none)).status).toBe(404);
    const gate = new Gate();
    const message = stage.book.on(stage.message('open'), say(before(gate), 'done'));
    const open = (await client.post('/', { message, background: true })).json<Ended>();
    await gate.reached;
    expect((await replay(open.run_id)).json()).toMatchObject({ status: 409, code: 'conflict' });
    gate.open();
    await until(async () => (await runOf(open.run_id)).status === 'completed');
    expect((await replay(open.run_id)).status).toBe(200);
    await client.call('DELETE', `/sessions/${session}`);
    expect((await replay(run)).status).toBe(404);
  });
});
