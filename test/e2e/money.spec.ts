import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const PRICES = {
  priced: { input: '2', output: '10', cached_input: '0.5', cache_write: '2.5' },
};
const JSON_ANSWER = { headers: { accept: 'application/json' } };
const TOOL = { name: 'look', description: 'looks', parameters: { type: 'object' } };

let folder: string;
let stage: Stage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-prices-'));
  const file = join(folder, 'prices.json');
  writeFileSync(file, JSON.stringify(PRICES));
  const env = {
    MODEL_BASE: 'priced',
    MODEL_MAX: 'priced-2026-01-01',
    MODEL_FLASH: 'free',
    MODEL_PRICES: file,
  };
  stage = await Stage.open({ env });
}, 60_000);
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly cost: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly error?: { readonly code: string };
}
interface Action {
  readonly action_id: string;
  readonly asked: Readonly<Record<string, string>>;
  readonly actor: string;
  readonly decision: string;
}

/** A turn of 1,000 tokens in and 100 out: 0.003 dollars. */
const turn = (...steps: Parameters<typeof say>) => ({
  ...say(...steps),
  usage: { input: 1000, output: 100 },
});
const runOf = async (id: string): Promise<Run> => (await stage.client.get(`/runs/${id}`)).json<Run>();
const start = async (body: object): Promise<Run> =>
  (await stage.client.post('/', body, JSON_ANSWER)).json<Run>();
const begin = async (body: object): Promise<Run> =>
  (await stage.client.post('/', { ...body, background: true })).json<Run>();
const statusOf = async (id: string): Promise<string> => (await runOf(id)).status;
const untilIs = (id: string, status: string): Promise<void> =>
  until(async () => (await statusOf(id)) === status);
const usage = async (query: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await stage.client.get(`/usage${query}`)).json<{ items: Readonly<Record<string, unknown>>[] }>().items;
const openAction = async (run: string): Promise<Action> => {
  let items: Action[] = [];
  await until(async () => {
    items = await stage.client.all<Action>(`/actions?run=${run}&status=open`);
    return items.length > 0;
  });
  return items[0]!;
};

describe('what a run costs', () => {
  it('is what the provider counts, part by part, at the price of the model', async () => {
    const raw = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1150,
      prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const message = stage.book.on(stage.message('parts'), { ...say('yes'), usage: { raw } });
    // 300 × 2 + 600 × 0.5 + 100 × 2.5 + 150 × 10, for a million.
    const expected = {
      cost: '0.00265',
      usage: {
        input_tokens: 1000,
        output_tokens: 150,
        cached_input_tokens: 600,
        cache_write_tokens: 100,
        reasoning_tokens: 40,
        model_calls: 1,
        estimated_calls: 0,
        unpriced_calls: 0,
      },
    };
    const answered = await start({ message });
    expect(answered).toMatchObject(expected);
    expect(await runOf(answered.run_id)).toMatchObject({ ...expected, metadata: {} });
    const dated = stage.book.on(stage.message('dated'), turn('yes'));
    expect((await start({ message: dated, mode: 'max' })).cost).toBe('0.003');
  });

  it('counts a model without a price as that', async () => {
    const message = stage.book.on(stage.message('free'), turn('yes'));
    expect(await start({ message, mode: 'flash' })).toMatchObject({
      cost: '0',
      usage: { unpriced_calls: 1 },
    });
    const { text } = await stage.client.get('/metrics');
    expect(text).toMatch(/^annals_unpriced_calls_total\{[^}]*model="free"[^}]*\} 1$/m);
    expect(stage.service.output).toContain('there is no price of this model');
  });

  it('counts what broke or was cancelled after something came, and what was estimated', async () => {
    const broken = stage.book.on(stage.message('broken'), (attempt) =>
      attempt === 0
        ? { steps: ['half an ', 'cut'.padEnd(8)], finishReason: null, done: false, usage: null }
        : turn('whole'),
    );
    const run = await start({ message: broken });
    expect(run).toMatchObject({ status: 'completed', usage: { model_calls: 2, estimated_calls: 1 } });
    expect(Number(run.cost)).toBeGreaterThan(0.003);
    const gate = new Gate();
    const message = stage.book.on(stage.message('cancelled'), say('so far', before(gate), 'more'));
    const { run_id: id, session } = await begin({ message, streaming_tokens: true });
    await until(async () => stage.book.asksOf(message, 0) === 1 && (await statusOf(id)) === 'running');
    await until(async () => JSON.stringify(await stage.client.history(session)).includes('so far'));
    await stage.client.post(`/runs/${id}/cancel`);
    await untilIs(id, 'cancelled');
    gate.open();
    expect(await runOf(id)).toMatchObject({ usage: { model_calls: 1, estimated_calls: 1 } });
  }, 60_000);
});

describe('metadata', () => {
  it('stands on the run, and finds it; usage is summed up by it', async () => {
    const of = (n: number, customer: string) =>
      start({
        message: stage.book.on(stage.message(`of ${n}`), turn('yes')),
        metadata: { customer, __proto__x: 'odd', 'a b.c': 'ü' },
      });
    const [first] = [await of(1, 'c1'), await of(2, 'c1'), await of(3, 'c2')];
    expect(await runOf(first.run_id)).toMatchObject({ metadata: { customer: 'c1', 'a b.c': 'ü' } });
    expect((await stage.client.all('/runs?metadata.customer=c1')).length).toBe(2);
    expect((await stage.client.all(`/runs?metadata.customer=c1&metadata.a%20b.c=%C3%BC`)).length).toBe(2);
    expect((await stage.client.all('/runs?metadata.customer=c1&metadata.a%20b.c=x')).length).toBe(0);
    const items = await usage('?group_by=metadata.customer');
    expect(items.map((item) => [item['metadata.customer'], item['runs'], item['cost']])).toEqual([
      ['c1', 2, '0.006'],
      ['c2', 1, '0.003'],
      [null, expect.any(Number), expect.any(String)],
    ]);
    await stage.client.call('DELETE', `/sessions/${first.session}`);
    await until(async () => (await usage('?group_by=metadata.customer'))[0]?.['runs'] === 1);
    const whole = await usage('');
    expect(await usage('?group_by=metadata.customer')).toHaveLength(3);
    expect(whole).toHaveLength(1);
    expect((await usage(`?group_by=session`)).find(({ session }) => session === first.session)).toMatchObject(
      {
        runs: 1,
        cost: '0.003',
      },
    );
  }, 60_000);

  it.each([
    [{ metadata: { 'a,b': 'x' } }, 'metadata.a,b'],
    [{ metadata: { '': 'x' } }, 'metadata.'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'x'])) }, 'metadata'],
    [{ metadata: [] }, 'metadata'],
    [{ budget: 1 }, 'budget'],
    [{ budget: '0' }, 'budget'],
    [{ budget: '1.0000000000001' }, 'budget'],
    [{ budget: '-1' }, 'budget'],
  ])('and budgets that are none are refused: %j', async (body, path) => {
    const { status, json } = await stage.client.post('/', { message: 'x', ...body });
    expect([status, json<{ errors: { path: string }[] }>().errors.map((e) => e.path)]).toEqual([400, [path]]);
  });
});

describe('usage', () => {
  it('adds up the same by every group, and sorts them', async () => {
    const [all] = await usage('');
    for (const group of [
      'project',
      'key',
      'model',
      'mode',
      'session',
      'day',
      'model,day',
      'mode,metadata.customer',
    ]) {
      const items = await usage(`?group_by=${group}`);
      for (const field of [
        'input_tokens',
        'output_tokens',
        'model_calls',
        'estimated_calls',
        'unpriced_calls',
      ])
        expect([group, field, items.reduce((sum, item) => sum + Number(item[field]), 0)]).toEqual([
          group,
          field,
          all?.[field],
        ]);
      const names = items.map((item) => JSON.stringify(item[group.split(',')[0]!]));
      expect(names.filter((name) => name !== 'null')).toEqual(
        names.filter((name) => name !== 'null').toSorted(),
      );
    }
    expect(await usage('?from=2020-01-01&to=2020-01-02')).toMatchObject([
      { runs: 0, cost: '0', model_calls: 0 },
    ]);
    expect(await usage('?from=2020-01-01&to=2020-01-02&group_by=model')).toEqual([]);
    const { status } = await stage.client.get('/usage?group_by=nothing');
    expect(status).toBe(400);
  });
});

describe('the budget of a run', () => {
  const looks = (name: string, turns: number) =>
    stage.book.on(
      stage.message(name),
      ...Array.from({ length: turns }, (_, n) => turn(...call(0, `c${n}`, 'look', {}))),
      turn('done'),
    );
  /** Answers calls of the run's tool until it waits for something else. */
  const answerUntilBudget = async (run: string): Promise<Action> => {
    for (;;) {
      const action = (await openAction(run)) as Action & { readonly kind: string };
      if (action.kind === 'budget') return action;
      await stage.client.post(`/actions/${action.action_id}/resolve`, { decision: 'answer', result: 1 });
      await until(
        async () =>
          (await stage.client.get(`/actions/${action.action_id}`)).json<{ status: string }>().status !==
          'open',
      );
    }
  };

  it('stops it before the next call, until it is raised', async () => {
    const { run_id: id } = await begin({ message: looks('raised', 2), budget: '0.005', tools: [TOOL] });
    const action = await answerUntilBudget(id);
    expect(action.asked).toEqual({ spent: '0.006', limit: '0.005' });
    await untilIs(id, 'waiting');
    const resolve = (body: object) => stage.client.post(`/actions/${action.action_id}/resolve`, body);
    expect((await resolve({ decision: 'raise', budget: '0.006' })).status).toBe(422);
    expect((await resolve({ decision: 'approve' })).status).toBe(422);
    expect((await resolve({ decision: 'raise', budget: '0.0061' })).json()).toMatchObject({
      decision: 'raise',
      decided: { budget: '0.0061' },
    });
    expect((await resolve({ decision: 'raise', budget: '0.0061' })).status).toBe(200);
    expect((await resolve({ decision: 'raise', budget: '7' })).status).toBe(409);
    await untilIs(id, 'completed');
    expect((await runOf(id)).cost).toBe('0.009');
  }, 60_000);

  it('ends it where it is denied, and a retry goes on with more', async () => {
    const { run_id: id } = await begin({ message: looks('denied', 2), budget: '0.003', tools: [TOOL] });
    const action = await answerUntilBudget(id);
    await stage.client.post(`/actions/${action.action_id}/resolve`, { decision: 'deny' });
    await untilIs(id, 'failed');
    expect((await runOf(id)).error).toMatchObject({ code: 'budget_exhausted', retryable: true });
    const again = (
      await stage.client.post(`/runs/${id}/retry`, { budget: '1', background: true })
    ).json<Run>();
    const tool = await openAction(again.run_id);
    await stage.client.post(`/actions/${tool.action_id}/resolve`, { decision: 'answer', result: 2 });
    await untilIs(again.run_id, 'completed');
    expect((await runOf(again.run_id)).cost).toBe('0.006');
  }, 60_000);

  it('is refused where the model has no price', async () => {
    const answer = await stage.client.post('/', { message: 'x', mode: 'flash', budget: '1' });
    expect([answer.status, answer.json()['code']]).toEqual([422, 'unprocessable']);
  });
});

describe('the budget of a key', () => {
  const newKey = async (project?: string) =>
    (
      await stage.client.post('/api-keys', {
        name: 'k',
        scopes: ['run', 'read', 'admin'],
        ...(project ? { project } : {}),
      })
    ).json<{ id: string; key: string }>();
  const as = ({ key }: { readonly key: string }) => ({
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
  });

  it('refuses requests and holds runs until it is changed', async () => {
    const key = await newKey('spenders');
    const put = (body: object) => stage.client.call('PUT', `/budgets/key/${key.id}`, { body });
    const set = await put({ limit: '0.004', period: 'month' });
    expect([set.status, set.json()]).toEqual([
      200,
      {
        scope: 'key',
        id: key.id,
        limit: '0.004',
        period: 'month',
        spent: '0',
        renews_at: expect.stringMatching(/-01T00:00:00.000Z$/),
      },
    ]);
    const message = stage.book.on(
      stage.message('two turns'),
      turn(...call(0, 'a', 'look', {})),
      turn(...call(0, 'b', 'look', {})),
      turn('done'),
    );
    const { run_id: id } = (
      await stage.client.post('/', { message, tools: [TOOL], background: true }, as(key))
    ).json<Run>();
    for (let n = 0; n < 2; n++) {
      let action: Action | undefined;
      await until(async () => {
        [action] = (await stage.client.get(`/actions?run=${id}&status=open`, as(key))).json<{
          items: Action[];
        }>().items;
        return action !== undefined;
      });
      if (n === 1) expect(action!.asked).toEqual({ spent: '0.006', limit: '0.004', of: `key/${key.id}` });
      else
        await stage.client.post(
          `/actions/${action!.action_id}/resolve`,
          { decision: 'answer', result: 1 },
          as(key),
        );
      if (n === 0) {
        await until(async () => {
          const { items } = (await stage.client.get(`/actions?run=${id}&status=open`, as(key))).json<{
            items: Action[];
          }>();
          return items.length > 0 && items[0]!.action_id !== action!.action_id;
        });
        const [second] = (await stage.client.get(`/actions?run=${id}&status=open`, as(key))).json<{
          items: Action[];
        }>().items;
        await stage.client.post(
          `/actions/${second!.action_id}/resolve`,
          { decision: 'answer', result: 1 },
          as(key),
        );
        await until(async () => {
          const { items } = (await stage.client.get(`/actions?run=${id}&kind=budget`, as(key))).json<{
            items: Action[];
          }>();
          return items.length > 0;
        });
      }
    }
    const refused = await stage.client.post('/', { message: 'x' }, as(key));
    expect([refused.status, refused.json()['code']]).toEqual([402, 'budget_exhausted']);
    const [action] = (await stage.client.get(`/actions?run=${id}&kind=budget`, as(key))).json<{
      items: Action[];
    }>().items;
    const raise = { decision: 'raise', budget: '9' };
    expect((await stage.client.post(`/actions/${action!.action_id}/resolve`, raise, as(key))).status).toBe(
      422,
    );
    expect((await put({ limit: '1', period: 'total' })).json()).toMatchObject({
      spent: '0.006',
      renews_at: null,
    });
    await until(
      async () => (await stage.client.get(`/runs/${id}`, as(key))).json<Run>().status === 'completed',
    );
    expect((await stage.client.get(`/actions/${action!.action_id}`, as(key))).json()).toMatchObject({
      decision: 'raise',
      actor: 'key_root',
      decided: {},
    });
    expect((await stage.client.get('/budgets', as(key))).json()).toMatchObject({
      items: [{ scope: 'key', id: key.id, spent: '0.009', limit: '1' }],
    });
    expect((await stage.client.call('DELETE', `/budgets/key/${key.id}`)).status).toBe(204);
    expect((await stage.client.call('DELETE', `/budgets/key/${key.id}`)).status).toBe(404);
  }, 60_000);

  it('of a project is its own, and not there for others', async () => {
    const [ours, others] = [await newKey('ours'), await newKey('others')];
    const limit = { limit: '0', period: 'day' };
    const put = (path: string, key: { key: string }) =>
      stage.client.call('PUT', `/budgets/${path}`, { body: limit, ...as(key) });
    expect((await put('project/ours', ours)).status).toBe(200);
    for (const [path, key] of [
      ['project/ours', others],
      [`key/${ours.id}`, others],
      ['key/none', ours],
      ['nothing/ours', ours],
    ] as const)
      expect([path, (await put(path, key)).status]).toEqual([path, 404]);
    expect((await stage.client.get('/budgets', as(others))).json()).toEqual({ items: [], next_cursor: null });
    expect((await stage.client.post('/', { message: 'x' }, as(ours))).status).toBe(402);
    expect((await stage.client.post('/', { message: 'x' }, as(others))).status).toBe(200);
    await stage.service.restart();
    expect((await stage.client.post('/', { message: 'x' }, as(ours))).status).toBe(402);
  }, 60_000);
});
