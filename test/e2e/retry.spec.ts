import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, refusal, say } from '../support/scripted-turn.js';
import type { Answer, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

interface Waiting {
  readonly status: string;
  readonly session: string;
  readonly run_id: string;
  readonly actions: readonly { readonly action_id: string }[];
}

const TOOL = { name: 'look_up', description: 'Looks a word up', parameters: { type: 'object' } };
const JSON_ANSWER = { headers: { accept: 'application/json' } };

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open({ env: { MODEL_MAX: 'greatest' } });
  client = stage.client;
});
afterAll(() => stage.close());

/** A run that waits for a tool of the caller's. */
async function waiting(): Promise<Waiting> {
  const message = stage.book.on(stage.message('retry'), say(...call(0, 'c0', 'look_up', {})), say('done'));
  return (await client.post('/', { message, tools: [TOOL] }, JSON_ANSWER)).json<Waiting>();
}

/** The same, cancelled. */
async function cancelled(): Promise<Waiting> {
  const run = await waiting();
  expect((await client.post(`/runs/${run.run_id}/cancel`, {})).status).toBe(202);
  await until(async () => (await statusOf(run.run_id)) === 'cancelled');
  return run;
}

const statusOf = async (run: string): Promise<string> =>
  (await client.get(`/runs/${run}`)).json<{ readonly status: string }>().status;
const retry = (run: string, body: object = {}, options: object = JSON_ANSWER): Promise<Answer> =>
  client.post(`/runs/${run}/retry`, body, options);
const answer = (id: string): Promise<Answer> =>
  client.post(`/actions/${id}/resolve`, { decision: 'answer', result: 'a word' });

describe('POST /runs/{id}/retry', () => {
  it('asks anew about a call that waited, and goes on with the answer as a run of its own', async () => {
    const broken = await cancelled();
    const answered = await retry(broken.run_id);
    expect(answered.status).toBe(200);
    const again = answered.json<Waiting>();
    expect(again).toMatchObject({ status: 'waiting', session: broken.session });
    expect(again.run_id).not.toBe(broken.run_id);
    const [action] = again.actions;
    expect(action?.action_id).not.toBe(broken.actions[0]?.action_id);
    expect((await answer(broken.actions[0]!.action_id)).status).toBe(409);
    expect((await answer(action!.action_id)).status).toBe(200);
    await until(async () => (await statusOf(again.run_id)) === 'completed');
    const read = await client.get(`/runs/${again.run_id}`);
    expect(read.json()).toMatchObject({ retry_of: broken.run_id });
    const messages = await client.post(`/get-messages?session=${broken.session}`, {});
    const types = messages.json<readonly { readonly type: string }[]>().map(({ type }) => type);
    expect(types).toEqual(['user_message', 'agent_tool_use', 'agent_response']);
  });

  it('is answered 202 in the background, and the same to a repeat with its key', async () => {
    const { run_id: run } = await cancelled();
    const headers = { 'idempotency-key': `retry ${run}` };
    const both = [
      await retry(run, { background: true }, { headers }),
      await retry(run, { background: true }, { headers }),
    ];
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    expect(both[1]!.json()).toEqual(both[0]!.json());
    expect((await retry(run, { mode: 'max', background: true }, { headers })).status).toBe(422);
    expect((await retry(run)).status).toBe(409);
  });

  it('of a replay keeps the model that it was given with, and another mode brings its own', async () => {
    const turns = [say('done'), refusal(400, 'no such thing'), refusal(400, 'again'), say('done')];
    const message = stage.book.on(stage.message('again'), (attempt: number) => turns[attempt]!);
    const { run_id: run } = await client.runToEnd(message);
    const failed = await client.post(`/runs/${run}/replay`, { model: 'another' }, JSON_ANSWER);
    const first = failed.json<Waiting>();
    const second = (await retry(first.run_id)).json<Waiting>();
    const third = (await retry(second.run_id, { mode: 'max' })).json<Waiting>();
    expect([first, second, third].map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
    expect(stage.model.requests.slice(-3).map(({ body }) => body.model)).toEqual([
      'another',
      'another',
      'greatest',
    ]);
  });

  it('is refused where there is no such run, where it is under way, and with other servers than its own', async () => {
    expect((await retry('run_ses_none_a')).status).toBe(404);
    const { run_id: run } = await waiting();
    expect((await retry(run)).status).toBe(409);
    const mcp_servers = [{ serverName: 'other', serverUrl: 'http://127.0.0.1:9/mcp' }];
    expect((await retry(run, { mcp_servers })).status).toBe(422);
    expect((await retry(run, { mode: 'fastest' })).status).toBe(400);
  });
});
