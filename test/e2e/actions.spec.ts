import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ScriptStep, call, say } from '../support/scripted-turn.js';
import type { Answer, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { until } from '../support/until.js';

interface Action {
  readonly action_id: string;
  readonly kind: string;
  readonly status: string;
  readonly session: string;
  readonly run_id: string;
  readonly asked: unknown;
  readonly decided: unknown;
  readonly decision: string | null;
  readonly actor: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly resolved_at: string | null;
}

interface Waiting {
  readonly status: string;
  readonly session: string;
  readonly run_id: string;
  readonly actions: readonly Action[];
}

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TOOL = {
  name: 'look_up',
  description: 'Looks a word up',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};
const STEP = { id: 's', name: 's', description: 'd', depends_on: [] };
const WORKFLOW = { id: 'w', name: 'w', description: 'd', steps: [STEP] };
const LETTER = { workflow_id: 'w', input: 'a' };

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
});
afterAll(() => stage.close());

/** A run that makes these calls, and waits. */
async function waiting(calls: readonly ScriptStep[], more: object = {}): Promise<Waiting> {
  const message = stage.book.on(stage.message('waits'), say(...calls), say('done'));
  const body = { message, tools: [TOOL], workflows: [WORKFLOW], approvals: { default: 'ask' }, ...more };
  const answer = await client.post('/', body, { headers: { accept: 'application/json' } });
  expect(answer.status).toBe(200);
  return answer.json<Waiting>();
}
const lookUps = (...words: readonly string[]): ScriptStep[] =>
  words.flatMap((word, n) => call(n, `c${n}`, 'look_up', { word }));

const resolve = (id: string, body: object, by = client): Promise<Answer> =>
  by.post(`/actions/${id}/resolve`, body);
const one = async (id: string, by = client): Promise<Action> =>
  (await by.get(`/actions/${id}`)).json<Action>();
const list = async (query: string, by = client): Promise<string[]> =>
  (await by.all<Action>(`/actions?${query}`)).map(({ action_id }) => action_id);
const ended = (run: string): Promise<void> =>
  until(async () => (await client.get(`/runs/${run}`)).json()['status'] === 'completed');
const keyOf = async (...scopes: readonly string[]): Promise<ServiceClient> =>
  client.with(String((await client.post('/api-keys', { name: 'k', scopes })).json()['key']));
/** What the model is told in the last turn of the run. */
const told = (): string => JSON.stringify(stage.book.asks.at(-1)?.request.messages.at(-1));

describe('an action', () => {
  it('changes no number on its way: to the caller it goes as it was written, from there it is refused', async () => {
    const find = { name: 'find', description: 'Finds', parameters: { type: 'object' } };
    const steps = call(0, 'c0', 'find', '{"id":1184773092771532801}');
    const { actions, run_id } = await waiting(steps, { tools: [find] });
    const [{ action_id: id, asked }] = actions as [Action];
    expect(asked).toEqual({ tool: 'find', input: '{"id":1184773092771532801}' });
    const post = (json: string) =>
      fetch(`${stage.service.origin}/actions/${id}/resolve`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        body: json,
      });
    for (const number of ['1184773092771532801', '1e400']) {
      const refused = await post(`{"decision":"answer","result":{"id":${number}}}`);
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { errors: [{ path: 'result.id' }] },
      ]);
    }
    expect((await post('{"decision":"answer","result":{"id":"1184773092771532801"}}')).status).toBe(200);
    await ended(run_id);
    expect(told()).toContain('1184773092771532801');
  });

  it('is shown as soon as its run waits, and is answered once', async () => {
    const { status, session, run_id, actions } = await waiting(lookUps('ant'));
    expect(status).toBe('waiting');
    const [action] = actions as [Action];
    expect(action).toEqual({
      action_id: expect.stringMatching(`^act_${session}_`),
      kind: 'tool',
      status: 'open',
      session,
      run_id,
      asked: { tool: 'look_up', input: { word: 'ant' } },
      decided: null,
      decision: null,
      actor: null,
      created_at: ISO,
      expires_at: ISO,
      resolved_at: null,
    });
    const id = action.action_id;
    expect(await one(id)).toEqual(action);
    expect(await list(`session=${session}`)).toEqual([id]);
    const answer = { decision: 'answer', result: 'an insect', reason: 'it is small' };
    const resolved = await resolve(id, answer);
    expect(resolved.status).toBe(200);
    const after = { ...action, status: 'resolved', decided: { reason: 'it is small' }, decision: 'answer' };
    expect(resolved.json()).toEqual({ ...after, actor: expect.any(String), resolved_at: ISO });
    expect((await resolve(id, answer)).json()).toEqual(resolved.json());
    expect((await resolve(id, { ...answer, result: 'a plant' })).json()).toMatchObject({ code: 'conflict' });
    await ended(run_id);
    expect(told()).toContain('an insect');
    expect(await one(id)).toEqual(resolved.json());
    expect(await list(`run=${run_id}&status=resolved`)).toEqual([id]);
    expect(await list(`run=${run_id}&status=open`)).toEqual([]);
  });

  it('is approved with an input that the tool takes, null and texts among those that it does not', async () => {
    const { actions, run_id } = await waiting(call(0, 'c0', 'run_workflow', LETTER));
    const [{ action_id: id, kind }] = actions as [Action];
    expect(kind).toBe('approval');
    for (const input of [null, 'w', 7, { workflow_id: 'w', input: 3 }]) {
      const refused = await resolve(id, { decision: 'approve', input });
      expect(refused.status).toBe(422);
      expect(refused.json()).toMatchObject({ code: 'unprocessable', errors: [{ path: 'input' }] });
    }
    const input = { ...LETTER, input: 'b' };
    const resolved = await resolve(id, { decision: 'approve', input });
    expect(resolved.json()).toMatchObject({ status: 'resolved', decision: 'approve', decided: { input } });
    await ended(run_id);
  });

  it('is not decided by what does not fit it', async () => {
    const { actions } = await waiting(lookUps('bee'));
    const [{ action_id: id }] = actions as [Action];
    const faults: readonly [object, string][] = [
      [{ decision: 'answer' }, 'result'],
      [{ decision: 'raise' }, 'budget'],
      [{ decision: 'raise', budget: '0.0' }, 'budget'],
      [{ decision: 'raise', budget: '0.1234567890123' }, 'budget'],
      [{ decision: 'supply' }, 'mcp_servers'],
      [{ decision: 'deny', result: null }, 'result'],
      [{ decision: 'approve', result: 1 }, 'result'],
      [{ decision: 'answer', result: 1, input: null }, 'input'],
      [{ decision: 'maybe' }, 'decision'],
      [{ decision: 'deny', reason: 'x'.repeat(4_001) }, 'reason'],
      [{ decision: 'deny', because: 'x' }, 'because'],
      [
        { decision: 'supply', mcp_servers: [{ serverName: 's', serverUrl: 'http://127.0.0.1:9/' }] },
        'mcp_servers[0].serverUrl',
      ],
    ];
    for (const [body, path] of faults) {
      const refused = await resolve(id, body);
      expect(refused.json()).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
    }
    for (const body of [{ decision: 'approve' }, { decision: 'raise', budget: '1' }])
      expect((await resolve(id, body)).json()).toMatchObject({ status: 422, code: 'unprocessable' });
    expect(await one(id)).toMatchObject({ status: 'open' });
  });

  it('is decided by keys with the scope of the decision, and by none else', async () => {
    const { actions } = await waiting([...lookUps('cat'), ...call(1, 'c1', 'run_workflow', LETTER)]);
    const [tool, approval] = actions as [Action, Action];
    const [reads, runs, approves] = [await keyOf('read'), await keyOf('run'), await keyOf('approve')];
    const answer = { decision: 'answer', result: { sound: 'meow' } };
    expect((await one(tool.action_id, approves)).action_id).toBe(tool.action_id);
    expect((await runs.get(`/actions/${tool.action_id}`)).status).toBe(403);
    const ids = await list(`session=${tool.session}`, reads);
    expect(ids.toSorted()).toEqual([approval.action_id, tool.action_id].toSorted());
    for (const [by, body] of [
      [reads, { decision: 'deny' }],
      [runs, { decision: 'approve' }],
      [runs, { decision: 'approve', result: 1 }],
      [runs, { decision: 'raise', budget: '1' }],
      [approves, answer],
      [approves, { decision: 'supply', mcp_servers: [] }],
    ] as const) {
      for (const id of [tool.action_id, 'act_ses_0_0'])
        expect((await resolve(id, body, by)).json()).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect((await resolve(tool.action_id, answer, runs)).status).toBe(200);
    expect((await resolve(approval.action_id, { decision: 'deny', reason: 'no' }, approves)).status).toBe(
      200,
    );
    await ended(tool.run_id);
    expect(told()).toContain('denied: no');
  });

  it('is not released by the key that started the run, where another one has to', async () => {
    const approvals = { default: 'ask', by: 'another_key' };
    const { actions } = await waiting(call(0, 'c0', 'run_workflow', LETTER), { approvals });
    const [{ action_id: id }] = actions as [Action];
    expect((await resolve(id, { decision: 'approve' })).json()).toMatchObject({ code: 'forbidden' });
    expect((await resolve(id, { decision: 'approve' }, await keyOf('approve'))).status).toBe(200);
  });

  it('is not released by it either where another key has had the run tried again', async () => {
    const approvals = { tools: { run_workflow: 'ask' }, by: 'another_key' };
    const { run_id: first } = await waiting(call(0, 'c0', 'run_workflow', LETTER), { approvals });
    await client.post(`/runs/${first}/cancel`);
    await until(async () => (await client.get(`/runs/${first}`)).json()['status'] === 'cancelled');
    const retried = await (await keyOf('run')).post(`/runs/${first}/retry`, { background: true });
    const run = String(retried.json()['run_id']);
    await until(async () => (await list(`run=${run}&status=open`)).length > 0);
    const [id] = await list(`run=${run}&status=open`);
    expect((await resolve(id!, { decision: 'approve' })).json()).toMatchObject({ code: 'forbidden' });
    expect((await resolve(id!, { decision: 'approve' }, await keyOf('approve'))).status).toBe(200);
  });

  it('is nobody else’s', async () => {
    const { actions, session } = await waiting(lookUps('dog'));
    const [{ action_id: id }] = actions as [Action];
    const made = await client.post('/api-keys', { name: 'k', scopes: ['admin'], project: 'others' });
    const other = client.with(String(made.json()['key']));
    for (const unknown of [id, `act_${session}_0`, 'act_ses_0_0', 'x']) {
      const answers = [
        await other.get(`/actions/${unknown}`),
        await resolve(unknown, { decision: 'deny' }, other),
      ];
      for (const answer of answers)
        expect(answer.json()).toMatchObject({ status: 404, detail: expect.stringContaining('the action') });
    }
    expect(await list(`session=${session}`, other)).toEqual([]);
  });

  it('is shown to a token of its session, and decided with it as far as the token may', async () => {
    const { actions, session } = await waiting(lookUps('eel'));
    const { session: elsewhere } = await waiting(lookUps('elk'));
    const [{ action_id: id }] = actions as [Action];
    const tokenFor = async (of: string): Promise<ServiceClient> => {
      const wish = { session: of, scopes: ['run', 'read'], expires_s: 60 };
      return client.with(String((await client.post('/tokens', wish)).json()['token']));
    };
    const [own, foreign] = [await tokenFor(session), await tokenFor(elsewhere)];
    expect((await own.get('/actions')).status).toBe(403);
    expect(await list(`session=${session}`, own)).toEqual([id]);
    expect((await foreign.get(`/actions?session=${session}`)).status).toBe(404);
    expect((await foreign.get(`/actions/${id}`)).status).toBe(404);
    expect((await resolve(id, { decision: 'answer', result: 1 }, foreign)).status).toBe(404);
    expect((await resolve(id, { decision: 'approve' }, own)).status).toBe(403);
    expect((await resolve(id, { decision: 'answer', result: 1 }, own)).status).toBe(200);
    expect((await client.post('/tokens', { scopes: ['approve'], expires_s: 60 })).status).toBe(400);
  });

  it('expires at its time, and the run goes on as if it was denied', async () => {
    const { actions, run_id } = await waiting(lookUps('fly'), { approvals: { expires_s: 1 } });
    const [{ action_id: id }] = actions as [Action];
    await until(async () => (await one(id)).status === 'expired');
    expect((await resolve(id, { decision: 'deny' })).json()).toMatchObject({ status: 409, code: 'conflict' });
    await ended(run_id);
    expect(await one(id)).toMatchObject({ decision: 'expired', actor: '', decided: {}, resolved_at: ISO });
    expect(await list(`run=${run_id}&status=expired`)).toEqual([id]);
  });

  it('is closed by the end of its run, and gone with its session', async () => {
    const { actions, run_id, session } = await waiting(lookUps('gnu'));
    const [{ action_id: id }] = actions as [Action];
    await client.post(`/runs/${run_id}/cancel`);
    const closed = { status: 'cancelled', decided: null, decision: null, actor: null, resolved_at: null };
    await until(async () => (await one(id)).status === 'cancelled');
    expect(await one(id)).toMatchObject(closed);
    expect((await resolve(id, { decision: 'deny' })).json()).toMatchObject({ status: 409 });
    expect(await list(`session=${session}&status=cancelled&kind=tool`)).toEqual([id]);
    await client.call('DELETE', `/sessions/${session}`);
    expect((await client.get(`/actions/${id}`)).status).toBe(404);
    expect((await resolve(id, { decision: 'deny' })).status).toBe(404);
    expect(await list(`session=${session}`)).toEqual([]);
  });
});
