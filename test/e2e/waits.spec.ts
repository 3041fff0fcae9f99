import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from '../support/cluster.js';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { call, say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

interface Shown {
  readonly action_id: string;
  readonly kind: string;
  readonly status: string;
  readonly asked: Readonly<Record<string, unknown>>;
}
interface Answered {
  readonly session: string;
  readonly run_id: string;
  readonly status: string;
  readonly actions?: readonly Shown[];
}

const JSON_ONLY = { headers: { accept: 'application/json' } };
const TOOL = { name: 'charge', description: 'Charges a card.', parameters: { type: 'object' } };

const waitingRun = async (client: ServiceClient, body: object, session = ''): Promise<Answered> =>
  (await client.post(`/${session && `?session=${session}`}`, body, JSON_ONLY)).json<Answered>();
const statusOf = async (client: ServiceClient, run: string): Promise<string> =>
  (await client.get(`/runs/${run}`)).json<{ status: string }>().status;
const ended = (client: ServiceClient, run: string) =>
  until(async () => ['completed', 'failed', 'cancelled'].includes(await statusOf(client, run)));
const resolve = (client: ServiceClient, action: string, body: object) =>
  client.post(`/actions/${action}/resolve`, body);
const open = async (client: ServiceClient, run: string): Promise<readonly Shown[]> =>
  (await client.get(`/actions?status=open&run=${run}`)).json<{ items: readonly Shown[] }>().items;

describe('a run that waits', () => {
  let stage: Stage;
  let shop: McpFixture;
  const sold: string[] = [];
  beforeAll(async () => {
    shop = await McpFixture.start({
      tools: [
        {
          name: 'sell',
          run: ({ args }) => {
            sold.push(JSON.stringify(args));
            return { content: [{ type: 'text', text: 'sold' }] };
          },
        },
      ],
    });
    stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1', RUN_TIMEOUT_S: '2' } });
  });
  afterAll(async () => {
    await stage.close();
    await shop.close();
  });

  const servers = () => [{ serverName: 'shop', serverUrl: shop.url }];
  const charging = (name: string, ...more: ReturnType<typeof say>[]) =>
    stage.book.on(stage.message(name), say(...call(0, 'c1', 'charge', { cents: 5 })), ...more, say('Done.'));

  it('waits over its time limit and two deaths of the service, and is answered then', async () => {
    const { client, service } = stage;
    const run = await waitingRun(client, { message: charging('patient'), tools: [TOOL] });
    expect(run).toMatchObject({ status: 'waiting', actions: [{ kind: 'tool', status: 'open' }] });
    for (let death = 0; death < 2; death += 1) {
      await service.kill('SIGKILL');
      await service.launch();
      expect(await statusOf(client, run.run_id)).toBe('waiting');
    }
    const created = (await client.get(`/runs/${run.run_id}`)).json<{ created_at: string }>().created_at;
    await until(() => Promise.resolve(Date.now() - Date.parse(created) > 2_500));
    const [action] = await open(client, run.run_id);
    const answer = await resolve(client, action!.action_id, { decision: 'answer', result: { paid: true } });
    expect([answer.status, answer.json()['status']]).toEqual([200, 'resolved']);
    await ended(client, run.run_id);
    expect(await statusOf(client, run.run_id)).toBe('completed');
    const last = stage.book.asks.at(-1)!.request.messages.at(-1);
    expect(last).toMatchObject({ role: 'tool', content: '{"paid":true}' });
  });

  it('asks for its tool servers after a death, and makes the call that was released before it', async () => {
    const { client, service } = stage;
    const selling = say(...call(0, 'c1', 'sell', { piece: 1 }), ...call(1, 'c2', 'sell', { piece: 2 }));
    const message = stage.book.on(stage.message('released'), selling, say('Done.'));
    const approvals = { tools: { 'se*': 'ask' } };
    const { run_id: run, actions = [] } = await waitingRun(client, {
      message,
      mcp_servers: servers(),
      approvals,
    });
    expect(actions).toHaveLength(2);
    await service.kill('SIGKILL');
    await service.launch();
    const [first, second] = actions.toSorted((a, b) =>
      JSON.stringify(a.asked).localeCompare(JSON.stringify(b.asked)),
    );
    await resolve(client, first!.action_id, { decision: 'approve' });
    await resolve(client, second!.action_id, { decision: 'deny', reason: 'too dear' });
    await until(async () => (await open(client, run)).some(({ kind }) => kind === 'tool_servers'));
    const [asked] = await open(client, run);
    expect(asked!.asked).toEqual({ servers: ['shop'] });
    const wrong = [{ serverName: 'other', serverUrl: shop.url }];
    const refused = await resolve(client, asked!.action_id, { decision: 'supply', mcp_servers: wrong });
    expect(refused.status).toBe(422);
    await resolve(client, asked!.action_id, { decision: 'supply', mcp_servers: servers() });
    await ended(client, run);
    expect(await statusOf(client, run)).toBe('completed');
    expect(sold).toEqual(['{"piece":1}']);
    const told = stage.book
      .lastAsk(message)!
      .messages.slice(-2)
      .map(({ content }) => content);
    expect(told).toEqual(['sold', 'the call was not made: it was denied: too dear']);
  });

  it('ends where its tool servers are not supplied', async () => {
    const { client, service } = stage;
    const message = stage.book.on(stage.message('lost'), say(...call(0, 'c1', 'sell')), say('Done.'));
    const approvals = { default: 'ask' };
    const { run_id: run, actions } = await waitingRun(client, { message, mcp_servers: servers(), approvals });
    await service.kill('SIGKILL');
    await service.launch();
    await resolve(client, actions![0]!.action_id, { decision: 'approve' });
    await until(async () => (await open(client, run)).length > 0);
    const [asked] = await open(client, run);
    await resolve(client, asked!.action_id, { decision: 'deny' });
    await ended(client, run);
    const { error } = (await client.get(`/runs/${run}`)).json<{ error: { code: string } }>();
    expect(error.code).toBe('tool_servers_lost');
  });

  it('expires while the service is down', async () => {
    const { client, service } = stage;
    const approvals = { expires_s: 1 };
    const { run_id: run, actions } = await waitingRun(client, {
      message: charging('expires'),
      tools: [TOOL],
      approvals,
    });
    await service.kill('SIGKILL');
    const expires = Date.now() + 1_200;
    await until(() => Promise.resolve(Date.now() > expires));
    await service.launch();
    await ended(client, run);
    const shown = (await client.get(`/actions/${actions![0]!.action_id}`)).json();
    expect(shown).toMatchObject({ status: 'expired', decision: 'expired', actor: '', decided: {} });
    const late = await resolve(client, actions![0]!.action_id, { decision: 'answer', result: 'late' });
    expect(late.status).toBe(409);
  });

  it('is steered while it waits, and its model is given the message before it completes', async () => {
    const { client } = stage;
    const {
      run_id: run,
      session,
      actions,
    } = await waitingRun(client, {
      message: charging('steered'),
      tools: [TOOL],
    });
    const steer = { message: stage.book.on(stage.message('hurry'), say('I hurry.')), on_busy: 'steer' };
    const again = await waitingRun(client, steer, session);
    expect([again.run_id, again.status]).toEqual([run, 'waiting']);
    await resolve(client, actions![0]!.action_id, { decision: 'answer', result: 'paid' });
    await ended(client, run);
    const { items } = (await client.get(`/runs/${run}/events?limit=200`, JSON_ONLY)).json<{
      items: readonly { data: { type: string; content?: string } }[];
    }>();
    const types = items.map(({ data }) => data.type);
    expect(types.indexOf('agent_steered')).toBeGreaterThan(types.indexOf('agent_step'));
    expect(types.filter((type) => type === 'agent_steered')).toHaveLength(1);
    expect(items.some(({ data }) => data.content === 'I hurry.')).toBe(true);
    const messages = (await client.post(`/get-messages?session=${session}`)).json<
      { type: string }[] & object
    >();
    expect(messages.filter(({ type }) => type === 'user_message')).toHaveLength(2);
  });

  it('asks about a handoff like about any call', async () => {
    const { client } = stage;
    const message = stage.book.on(
      stage.message('handed on'),
      say(...call(0, 'h1', 'transfer_to_refunds')),
      say('I am refunds.'),
    );
    const agents = [{ name: 'refunds', description: 'Refunds.' }];
    const approvals = { tools: { 'transfer_to_*': 'ask' } };
    const { run_id: run, actions } = await waitingRun(client, { message, agents, approvals });
    expect(actions).toMatchObject([{ kind: 'approval', asked: { tool: 'transfer_to_refunds', input: {} } }]);
    await resolve(client, actions![0]!.action_id, { decision: 'approve' });
    await ended(client, run);
    const { items } = (await client.get(`/runs/${run}/events?limit=200`, JSON_ONLY)).json<{
      items: readonly { data: { type: string; agent?: string } }[];
    }>();
    expect(items.find(({ data }) => data.type === 'agent_handoff')?.data.agent).toBe('refunds');
  });

  it('lets the other steps of a workflow go on', async () => {
    const { client } = stage;
    const step = (id: string, depends_on: readonly string[] = []) => ({
      id,
      name: id,
      description: id,
      depends_on,
    });
    const workflow = {
      id: 'w',
      name: 'w',
      description: 'd',
      steps: [step('asks'), step('goes'), step('after', ['asks'])],
    };
    const message = stage.book.on(
      stage.message('flow'),
      say(...call(0, 'w1', 'run_workflow', { workflow_id: 'w' })),
      say('All done.'),
    );
    stage.book.find = (text) => {
      if (text.endsWith('The step "asks":\nasks')) return [say(...call(0, 'c1', 'charge')), say('asked')];
      return /The step "\w+":\n\w+$/.test(text) ? [say('went')] : undefined;
    };
    const { run_id: run, actions } = await waitingRun(client, {
      message,
      workflows: [workflow],
      tools: [TOOL],
    });
    const { items } = (await client.get(`/runs/${run}/events?limit=200`, JSON_ONLY)).json<{
      items: readonly { data: { type: string; step_id?: string; status?: string } }[];
    }>();
    const done = items.filter(({ data }) => data.status === 'completed').map(({ data }) => data.step_id);
    expect(done).toEqual(['goes']);
    await stage.service.kill('SIGKILL');
    await stage.service.launch();
    await resolve(client, actions![0]!.action_id, { decision: 'answer', result: 'charged' });
    await ended(client, run);
    expect(await statusOf(client, run)).toBe('completed');
    expect(stage.book.asks.filter(({ message: m }) => m.endsWith('The step "goes":\ngoes'))).toHaveLength(1);
  });
});

describe('with several replicas, a run that waits', () => {
  let cluster: Cluster;
  beforeAll(async () => void (cluster = await Cluster.open({ replicas: 2 })));
  afterAll(() => cluster.close());
  const client = (n: number): ServiceClient => cluster.services[n]!.client();

  it('is decided on another replica, while the first one lives and when it is gone', async () => {
    for (const isGone of [false, true]) {
      const message = cluster.book.on(
        `decided elsewhere, gone: ${isGone}`,
        say(...call(0, 'c1', 'charge')),
        say('Done.'),
      );
      const { run_id: run, actions } = await waitingRun(client(0), { message, tools: [TOOL] });
      if (isGone) await cluster.services[0]!.kill('SIGKILL');
      const answer = await resolve(client(1), actions![0]!.action_id, { decision: 'answer', result: 'paid' });
      expect(answer.status).toBe(200);
      await ended(client(1), run);
      expect(await statusOf(client(1), run)).toBe('completed');
      expect(cluster.book.asksOf(message, 1)).toBe(1);
    }
  });
});
