import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
let good: CallbackReceiver;
let gone: CallbackReceiver;
beforeAll(async () => {
  good = await CallbackReceiver.start();
  gone = await CallbackReceiver.start(answers(410));
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await stage.close();
  await good.close();
  await gone.close();
});

interface Delivery {
  readonly delivery_id: string;
  readonly run_id: string;
  readonly session: string;
  readonly event_id: string;
  readonly type: string;
  readonly target: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_attempt_at: string | null;
  readonly created_at: string;
}

const all = (query = '') => stage.client.all<Delivery>(`/deliveries?${query}`);
const statuses = (items: readonly Delivery[]) => [...new Set(items.map(({ status }) => status))].sort();

async function played(receiver: CallbackReceiver) {
  const message = stage.book.on(stage.message('told'), say('one two three'));
  const url = `${receiver.url}/hook?secret=abc`;
  return stage.client.runToEnd({ message, streaming_tokens: true, callback: { url } });
}

describe('the deliveries of all runs', () => {
  it('are listed together, newest first, each with where it went, and sent again together', async () => {
    const first = await played(good);
    const second = await played(gone);
    const ofFirst = async () => all(`run=${first.run_id}`);
    await until(async () => statuses(await ofFirst()).join() === 'delivered');
    await until(async () => (await all('status=failed')).length === 1);
    const items = await all();
    // What the list of a run says, from its last event on.
    for (const { run_id: run } of [first, second]) {
      const own = await stage.client.all<Delivery>(`/runs/${run}/deliveries`);
      const told = items.filter((item) => item.run_id === run);
      for (const [n, item] of told.entries()) expect(item).toMatchObject(own.at(-1 - n)!);
      expect(told).toHaveLength(own.length);
    }
    expect(items.map(({ run_id: run }) => run)).toEqual(
      items.map((_, n) => (n < items.length / 2 ? second.run_id : first.run_id)),
    );
    const [{ event_id: last }] = items as [Delivery];
    const { last_event_id: end } = (await stage.client.get(`/runs/${second.run_id}`)).json<{
      last_event_id: string;
    }>();
    expect(last).toBe(end);
    expect(new Set(items.map(({ target }) => target))).toEqual(
      new Set([good.url, gone.url].map((url) => new URL(url).origin)),
    );
    expect(statuses(await all(`session=${second.session}`))).toEqual(['failed', 'stopped']);
    expect(await all('status=delivered')).toHaveLength(items.length / 2);
    expect(await all('status=pending')).toEqual([]);
    // Pages, of one item each, are the same.
    expect(await stage.client.all<Delivery>('/deliveries', 1)).toEqual(items);
    const { created_at: middle } = items[items.length / 2]!;
    const [older, newer] = [await all(`to=${middle}`), await all(`from=${middle}`)];
    expect(
      newer
        .concat(older)
        .map(({ delivery_id: id }) => id)
        .sort(),
    ).toEqual(items.map(({ delivery_id: id }) => id).sort());
    gone.react = answers(204);
    const again = async (body: object) => {
      const answer = await stage.client.post('/deliveries/resend', body);
      expect(answer.status).toBe(202);
      return answer.json<{ resent: number }>().resent;
    };
    expect(await again({ status: 'failed', to: '2020-01-01' })).toBe(0);
    expect(await again({ status: 'failed' })).toBe(1);
    expect(await again({ status: 'stopped' })).toBe(items.length / 2 - 1);
    await until(async () => statuses(await all()).join() === 'delivered');
    expect((await all()).every(({ last_attempt_at: at }) => at !== null)).toBe(true);
    expect(await again({ status: 'failed' })).toBe(0);
    const sent = gone.received.slice(1).map(({ sequence }) => sequence);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
  });

  it('are their project’s, and go with their session', async () => {
    const { session } = await played(good);
    await until(async () => (await all(`session=${session}`)).length > 0);
    const other = (
      await stage.client.post('/api-keys', { name: 'o', scopes: ['admin'], project: 'other' })
    ).json<{
      key: string;
    }>();
    expect(await stage.client.with(other.key).all('/deliveries')).toEqual([]);
    const none = await stage.client.with(other.key).post('/deliveries/resend', { status: 'stopped' });
    expect(none.json()).toEqual({ resent: 0 });
    await stage.client.call('DELETE', `/sessions/${session}`);
    expect(await all(`session=${session}`)).toEqual([]);
    for (const wrong of ['status=sent', 'from=x', 'limit=0', 'cursor=x'])
      expect([wrong, (await stage.client.get(`/deliveries?${wrong}`)).status]).toEqual([wrong, 400]);
    for (const body of [{}, { status: 'delivered' }, { status: 'failed', from: 'x' }])
      expect((await stage.client.post('/deliveries/resend', body)).status).toBe(400);
  });
});

describe('a list of sessions', () => {
  it('is narrowed by the last run’s status and the time of their opening', async () => {
    const { session } = await played(good);
    const of = async (query: string) =>
      stage.client.all<{ session: string; last_status: string }>(`/sessions?${query}`);
    const done = await of('status=completed');
    expect(done.map((item) => item.session)).toContain(session);
    expect(new Set(done.map((item) => item.last_status))).toEqual(new Set(['completed']));
    expect(await of('status=waiting')).toEqual([]);
    expect(await of('to=2020-01-01')).toEqual([]);
    expect((await of('from=2020-01-01')).length).toBe((await of('')).length);
    expect((await stage.client.get('/sessions?status=over')).status).toBe(400);
  });
});
