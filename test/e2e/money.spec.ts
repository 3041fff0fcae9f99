import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MoneyStage, paidTurn } from '../support/money-stage.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { until } from '../support/until.js';

let money: MoneyStage;
beforeAll(async () => void (money = await MoneyStage.open()));
afterAll(() => money.close());

describe('what a run costs', () => {
  it('is what the provider counts, part by part, at the price of the model', async () => {
    const raw = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1150,
      prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const message = money.stage.book.on(money.stage.message('parts'), { ...say('yes'), usage: { raw } });
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
    const answered = await money.start({ message });
    expect(answered).toMatchObject(expected);
    expect(await money.run(answered.run_id)).toMatchObject({ ...expected, metadata: {} });
    const dated = money.stage.book.on(money.stage.message('dated'), paidTurn('yes'));
    expect((await money.start({ message: dated, mode: 'max' })).cost).toBe('0.003');
  });

  it('counts a model without a price as that', async () => {
    const message = money.stage.book.on(money.stage.message('free'), paidTurn('yes'));
    expect(await money.start({ message, mode: 'flash' })).toMatchObject({
      cost: '0',
      usage: { unpriced_calls: 1 },
    });
    const { text } = await money.stage.client.get('/metrics');
    expect(text).toMatch(/^annals_unpriced_calls_total\{[^}]*model="free"[^}]*\} 1$/m);
    expect(money.stage.service.output).toContain('there is no price of this model');
  });

  it('counts what broke or was cancelled after something came, and what was estimated', async () => {
    const broken = money.stage.book.on(money.stage.message('broken'), (attempt) =>
      attempt === 0
        ? { steps: ['half an ', 'cut'.padEnd(8)], finishReason: null, done: false, usage: null }
        : paidTurn('whole'),
    );
    const run = await money.start({ message: broken });
    expect(run).toMatchObject({ status: 'completed', usage: { model_calls: 2, estimated_calls: 1 } });
    expect(Number(run.cost)).toBeGreaterThan(0.003);
    const gate = new Gate();
    const message = money.stage.book.on(
      money.stage.message('cancelled'),
      say('so far', before(gate), 'more'),
    );
    const { run_id: id, session } = await money.begin({ message, streaming_tokens: true });
    await until(
      async () => money.stage.book.asksOf(message, 0) === 1 && (await money.run(id)).status === 'running',
    );
    await until(async () => JSON.stringify(await money.stage.client.history(session)).includes('so far'));
    await money.stage.client.post(`/runs/${id}/cancel`);
    await money.untilIs(id, 'cancelled');
    gate.open();
    expect(await money.run(id)).toMatchObject({ usage: { model_calls: 1, estimated_calls: 1 } });
  });
});

describe('metadata', () => {
  it('stands on the run, and finds it; usage is summed up by it', async () => {
    const of = (n: number, customer: string) =>
      money.start({
        message: money.stage.book.on(money.stage.message(`of ${n}`), paidTurn('yes')),
        metadata: { customer, __proto__x: 'odd', 'a b.c': 'ü' },
      });
    const [first] = [await of(1, 'c1'), await of(2, 'c1'), await of(3, 'c2')];
    expect(await money.run(first.run_id)).toMatchObject({ metadata: { customer: 'c1', 'a b.c': 'ü' } });
    expect((await money.stage.client.all('/runs?metadata.customer=c1')).length).toBe(2);
    expect((await money.stage.client.all(`/runs?metadata.customer=c1&metadata.a%20b.c=%C3%BC`)).length).toBe(
      2,
    );
    expect((await money.stage.client.all('/runs?metadata.customer=c1&metadata.a%20b.c=x')).length).toBe(0);
    const items = await money.usage('?group_by=metadata.customer');
    expect(items.map((item) => [item['metadata.customer'], item['runs'], item['cost']])).toEqual([
      ['c1', 2, '0.006'],
      ['c2', 1, '0.003'],
      [null, expect.any(Number), expect.any(String)],
    ]);
    await money.stage.client.call('DELETE', `/sessions/${first.session}`);
    await until(async () => (await money.usage('?group_by=metadata.customer'))[0]?.['runs'] === 1);
    const whole = await money.usage('');
    expect(await money.usage('?group_by=metadata.customer')).toHaveLength(3);
    expect(whole).toHaveLength(1);
    expect(
      (await money.usage(`?group_by=session`)).find(({ session }) => session === first.session),
    ).toMatchObject({
      runs: 1,
      cost: '0.003',
    });
  });

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
    const refused = await money.stage.client.post('/', { message: 'x', ...body });
    const { errors } = refused.json<{ errors: { path: string }[] }>();
    expect([refused.status, errors.map((error) => error.path)]).toEqual([400, [path]]);
  });
});

describe('usage', () => {
  it('adds up the same by every group, and sorts them', async () => {
    const [all] = await money.usage('');
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
      const items = await money.usage(`?group_by=${group}`);
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
    expect(await money.usage('?from=2020-01-01&to=2020-01-02')).toMatchObject([
      { runs: 0, cost: '0', model_calls: 0 },
    ]);
    expect(await money.usage('?from=2020-01-01&to=2020-01-02&group_by=model')).toEqual([]);
    const { status } = await money.stage.client.get('/usage?group_by=nothing');
    expect(status).toBe(400);
  });

  it('is a list like others: in pages where a limit is asked for, and whole otherwise', async () => {
    const { client } = money.stage;
    for (const group of ['session', 'model,day', 'metadata.customer', 'project']) {
      const whole = await client.get(`/usage?group_by=${group}`);
      const { items, next_cursor } = whole.json<{ items: object[]; next_cursor: unknown }>();
      expect([items.length > 0, next_cursor]).toEqual([true, null]);
      const paged: object[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const answer = await client.get(`/usage?group_by=${group}&limit=2${cursor}`);
        const page = answer.json<{ items: object[]; next_cursor: string | null }>();
        expect(page.items.length).toBe(Math.min(2, items.length - paged.length));
        paged.push(...page.items);
        cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
      }
      expect(paged).toEqual(items);
    }
    for (const wrong of ['limit=0', 'limit=201', 'limit=x', 'limit=', 'cursor=', 'cursor=abc', 'page=2'])
      expect([wrong, (await client.get(`/usage?${wrong}`)).status]).toEqual([wrong, 400]);
  });
});
