import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AskedAction, LOOK, MoneyStage, type PaidRun, as, paidTurn } from '../support/money-stage.js';
import { Gate, before, call } from '../support/scripted-model.js';
import { until } from '../support/until.js';

let money: MoneyStage;
beforeAll(async () => void (money = await MoneyStage.open()));
afterAll(() => money.close());

/** A run that calls its tool so often, and then is done: a turn of 0.003 dollars each. */
const looks = (name: string, calls: number): string =>
  money.stage.book.on(
    money.stage.message(name),
    ...Array.from({ length: calls }, (_, n) => paidTurn(...call(0, `c${n}`, 'look', {}))),
    paidTurn('done'),
  );

describe('the budget of a run', () => {
  it('stops it before the next call, until it is raised', async () => {
    const { client } = money.stage;
    const { run_id: id } = await money.begin({ message: looks('raised', 2), budget: '0.005', tools: [LOOK] });
    const action = await money.untilBudget(id);
    expect(action.asked).toEqual({ spent: '0.006', limit: '0.005' });
    await money.untilIs(id, 'waiting');
    const resolve = (body: object) => client.post(`/actions/${action.action_id}/resolve`, body);
    expect((await resolve({ decision: 'raise', budget: '0.006' })).status).toBe(422);
    expect((await resolve({ decision: 'approve' })).status).toBe(422);
    expect((await resolve({ decision: 'raise', budget: '0.0061' })).json()).toMatchObject({
      decision: 'raise',
      decided: { budget: '0.0061' },
    });
    expect((await resolve({ decision: 'raise', budget: '0.0061' })).status).toBe(200);
    expect((await resolve({ decision: 'raise', budget: '0.00610' })).status).toBe(200);
    expect((await resolve({ decision: 'raise', budget: '7' })).status).toBe(409);
    await money.untilIs(id, 'completed');
    expect((await money.run(id)).cost).toBe('0.009');
  });

  it('ends it where it is denied, and a retry goes on with more', async () => {
    const { client } = money.stage;
    const { run_id: id } = await money.begin({ message: looks('denied', 2), budget: '0.003', tools: [LOOK] });
    const action = await money.untilBudget(id);
    await client.post(`/actions/${action.action_id}/resolve`, { decision: 'deny' });
    await money.untilIs(id, 'failed');
    expect((await money.run(id)).error).toMatchObject({ code: 'budget_exhausted', retryable: true });
    const again = (
      await client.post(`/runs/${id}/retry`, { budget: '0.003', background: true })
    ).json<PaidRun>();
    const raised = await money.untilBudget(again.run_id);
    await client.post(`/actions/${raised.action_id}/resolve`, { decision: 'raise', budget: '1' });
    await money.untilIs(again.run_id, 'completed');
    expect((await money.run(again.run_id)).cost).toBe('0.006');
  });

  it('holds over a kill -9', async () => {
    const { client } = money.stage;
    const { run_id: id } = await money.begin({ message: looks('killed', 1), budget: '0.003', tools: [LOOK] });
    const action = await money.untilBudget(id);
    await money.stage.service.kill('SIGKILL');
    await money.stage.service.restart();
    expect((await money.run(id)).status).toBe('waiting');
    await client.post(`/actions/${action.action_id}/resolve`, { decision: 'raise', budget: '1' });
    await money.untilIs(id, 'completed');
    expect(await money.run(id)).toMatchObject({ cost: '0.006', usage: { model_calls: 2 } });
  });

  it('is asked about once, for all the steps of a workflow that need it', async () => {
    const { stage } = money;
    const { book, client } = stage;
    const message = book.on(
      stage.message('steps'),
      paidTurn(...call(0, 'w', 'run_workflow', { workflow_id: 'w' })),
      paidTurn('done'),
    );
    book.find = (task) => (task.includes('do it') ? [paidTurn('made')] : undefined);
    const step = (id: string) => ({ id, name: id, description: `do it ${id}`, depends_on: [] });
    const workflow = { id: 'w', name: 'w', description: 'd', steps: [step('a'), step('b'), step('c')] };
    const { run_id: id } = await money.begin({ message, workflows: [workflow], budget: '0.003' });
    const action = await money.untilBudget(id);
    await money.untilIs(id, 'waiting');
    expect(action.asked).toEqual({ spent: '0.003', limit: '0.003' });
    await client.post(`/actions/${action.action_id}/resolve`, { decision: 'raise', budget: '1' });
    await money.untilIs(id, 'completed');
    expect(await money.run(id)).toMatchObject({ cost: '0.015', usage: { model_calls: 5 } });
    expect(await client.all(`/actions?run=${id}`)).toHaveLength(1);
  });

  it.each(['deny', 'expire'])(
    'that is not raised ends it while other steps are under way: %s',
    async (how) => {
      const { stage } = money;
      const { book, client } = stage;
      const gate = new Gate();
      const message = book.on(
        stage.message(`steps that ${how}`),
        paidTurn(...call(0, 'w', 'run_workflow', { workflow_id: 'w' })),
        paidTurn('done'),
      );
      book.find = (task) => (task.includes('hold') ? [paidTurn('held', before(gate))] : [paidTurn('made')]);
      const step = (id: string, ...depends_on: string[]) => ({ id, name: id, description: id, depends_on });
      const steps = [step('hold'), step('make'), step('more', 'make')];
      const workflow = { id: 'w', name: 'w', description: 'd', steps };
      const expires = how === 'expire' ? { approvals: { expires_s: 1 } } : {};
      const wish = { message, workflows: [workflow], budget: '0.004', ...expires };
      const { run_id: id } = await money.begin(wish);
      const action = await money.untilBudget(id);
      if (how === 'deny') await client.post(`/actions/${action.action_id}/resolve`, { decision: 'deny' });
      await money.untilIs(id, 'failed');
      gate.open();
      const { error, usage } = await money.run(id);
      expect(error).toMatchObject({ code: 'budget_exhausted', retryable: true });
      // That of the step that was under way, too.
      expect(usage).toMatchObject({ model_calls: 3 });
      expect(await client.all(`/actions?run=${id}`)).toHaveLength(1);
    },
  );

  it('is refused where the model has no price', async () => {
    const answer = await money.stage.client.post('/', { message: 'x', mode: 'flash', budget: '1' });
    expect([answer.status, answer.json()['code']]).toEqual([422, 'unprocessable']);
  });
});

describe('the budget of a key', () => {
  it('refuses requests and holds runs until it is changed', async () => {
    const { client } = money.stage;
    const key = await money.newKey('spenders');
    const put = (body: object) => client.call('PUT', `/budgets/key/${key.id}`, { body });
    const set = await put({ limit: '0.0040', period: 'month' });
    const standing = { scope: 'key', id: key.id, limit: '0.004', period: 'month', spent: '0' };
    expect([set.status, set.json()]).toEqual([
      200,
      { ...standing, renews_at: expect.stringMatching(/-01T00:00:00.000Z$/) },
    ]);
    const { run_id: id } = await money.begin({ message: looks('held', 2), tools: [LOOK] }, key);
    const action = await money.untilBudget(id, key);
    expect(action.asked).toEqual({ spent: '0.006', limit: '0.004', of: `key/${key.id}` });
    const refused = await client.post('/', { message: 'x' }, as(key));
    expect([refused.status, refused.json()['code']]).toEqual([402, 'budget_exhausted']);
    const unpriced = await client.post('/', { message: 'x', mode: 'flash' }, as(key));
    expect(unpriced.status).toBe(422);
    const raise = { decision: 'raise', budget: '9' };
    expect((await client.post(`/actions/${action.action_id}/resolve`, raise, as(key))).status).toBe(422);
    expect((await put({ limit: '0.006', period: 'month' })).json()).toMatchObject({ spent: '0.006' });
    expect((await put({ limit: '1', period: 'total' })).json()).toMatchObject({ renews_at: null });
    await money.untilIs(id, 'completed', key);
    expect((await client.get(`/actions/${action.action_id}`, as(key))).json()).toMatchObject({
      decision: 'raise',
      actor: 'key_root',
      decided: {},
    });
    expect((await client.get('/budgets', as(key))).json()).toMatchObject({
      items: [{ scope: 'key', id: key.id, spent: '0.009', limit: '1' }],
    });
    expect((await client.call('DELETE', `/budgets/key/${key.id}`)).status).toBe(204);
    expect((await client.call('DELETE', `/budgets/key/${key.id}`)).status).toBe(404);
  });

  it('that is spent is told last of all, and whose change lets a run go on is known at once', async () => {
    const { client } = money.stage;
    const key = await money.newKey('hasty');
    const put = (limit: string) =>
      client.call('PUT', `/budgets/key/${key.id}`, { body: { limit, period: 'total' } });
    await put('0.003');
    const held = await client.post('/', { message: looks('hasty', 1) }, as(key));
    const { status, session, run_id: id, actions } = held.json<PaidRun & { actions: AskedAction[] }>();
    expect(status).toBe('waiting');
    const refused = async (path: string, body: object) => (await client.post(path, body, as(key))).status;
    expect(await refused('/?session=ses_00000000000000000000000000', { message: 'x' })).toBe(404);
    expect(await refused(`/?session=${session}`, { message: 'x', on_busy: 'reject' })).toBe(409);
    expect(await refused(`/runs/${id}/retry`, {})).toBe(409);
    expect(await refused(`/?session=${session}`, { message: 'x' })).toBe(402);
    await put('1');
    await money.untilIs(id, 'completed', key);
    const decided = await client.get(`/actions/${actions[0]!.action_id}`, as(key));
    expect(decided.json()).toMatchObject({ decision: 'raise', actor: 'key_root' });
  });

  it('is as spent at once after a kill -9 behind the last call', async () => {
    const { client, service } = money.stage;
    const key = await money.newKey('dying');
    for (let death = 1; death <= 3; death += 1) {
      const [limit, raised] = [death * 0.006 - 0.003, death * 0.006].map((sum) =>
        String(Number(sum.toFixed(3))),
      );
      await client.call('PUT', `/budgets/key/${key.id}`, { body: { limit, period: 'total' } });
      const { run_id: id } = await money.begin({ message: looks(`dying ${death}`, 1), tools: [LOOK] }, key);
      await money.untilBudget(id, key);
      await service.kill('SIGKILL');
      await service.restart();
      expect((await client.post('/', { message: 'x' }, as(key))).status).toBe(402);
      const body = { limit: raised, period: 'total' };
      const set = await client.call('PUT', `/budgets/key/${key.id}`, { body });
      expect(set.json()).toMatchObject({ spent: limit });
      await money.untilIs(id, 'completed', key);
    }
  });

  it('that is spent lets fifty runs at once make no call more than those under way', async () => {
    const { client, book } = money.stage;
    const key = await money.newKey('crowd');
    await client.call('PUT', `/budgets/key/${key.id}`, { body: { limit: '0.06', period: 'total' } });
    const messages = Array.from({ length: 50 }, (_, n) => looks(`crowd ${n}`, 1));
    const begun = await Promise.all(messages.map((message) => money.begin({ message, tools: [LOOK] }, key)));
    const ids = begun.flatMap(({ run_id: id }) => (id === undefined ? [] : [id]));
    // Each is held before its first or its second call, or has come to its tool.
    await until(async () => {
      const states = await Promise.all(ids.map((id) => money.run(id, key)));
      return states.every(({ status }) => status === 'waiting');
    });
    const { items } = (await client.get('/budgets', as(key))).json<{ items: { spent: string }[] }>();
    const calls = messages.reduce(
      (sum, message) => sum + book.asksOf(message, 0) + book.asksOf(message, 1),
      0,
    );
    expect(items[0]!.spent).toBe(String(Number((calls * 0.003).toFixed(3))));
    expect(calls).toBeGreaterThanOrEqual(20);
    // Those that were asked before the twentieth had ended.
    expect(calls).toBeLessThanOrEqual(50);
    const refused = await client.post('/', { message: 'x' }, as(key));
    expect(refused.status).toBe(402);
  });

  it('of a project is its own, and not there for others', async () => {
    const { client, service } = money.stage;
    const [ours, others] = [await money.newKey('ours'), await money.newKey('others')];
    const limit = { limit: '0', period: 'day' };
    const put = (path: string, key: typeof ours) =>
      client.call('PUT', `/budgets/${path}`, { body: limit, ...as(key) });
    expect((await put('project/ours', ours)).status).toBe(200);
    for (const [path, key] of [
      ['project/ours', others],
      [`key/${ours.id}`, others],
      ['key/none', ours],
      ['nothing/ours', ours],
    ] as const)
      expect([path, (await put(path, key)).status]).toEqual([path, 404]);
    expect((await client.get('/budgets', as(others))).json()).toEqual({ items: [], next_cursor: null });
    expect((await client.post('/', { message: 'x' }, as(ours))).status).toBe(402);
    expect((await client.post('/', { message: 'x' }, as(others))).status).toBe(200);
    await service.restart();
    expect((await client.post('/', { message: 'x' }, as(ours))).status).toBe(402);
  });
});
