import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Cluster } from '../support/cluster.js';
import { paidTurn } from '../support/money-stage.js';
import type { PaidRun } from '../support/money-stage.js';
import { quiet } from '../support/quiet.js';
import { until } from '../support/until.js';

const RUNS = 50;
/** Of each of two replicas. */
const AT_ONCE = 5;
const CALL_MS = 1_000;
/** Of calls of 0.003 dollars each. */
const LIMIT = 20;

let folder: string;
let cluster: Cluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-prices-'));
  const file = join(folder, 'prices.json');
  writeFileSync(file, JSON.stringify({ priced: { input: '2', output: '10' } }));
  const env = { MODEL_BASE: 'priced', MODEL_PRICES: file, MAX_RUNS: String(AT_ONCE) };
  cluster = await Cluster.open({ replicas: 2, env });
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

it('fifty runs on two replicas exceed their budget by the calls under way, and by a second of the other replica', async () => {
  const client = cluster.client();
  const [first, second] = cluster.services.map((service) => service.client());
  const put = (limit: string, on = first) =>
    on!.call('PUT', '/budgets/project/default', { body: { limit, period: 'total' } });
  expect((await put(String(LIMIT * 0.003))).status).toBe(200);
  let calls = 0;
  cluster.book.find = () => [
    async () => {
      calls += 1;
      await quiet(CALL_MS);
      return paidTurn('done');
    },
  ];
  const begun = await Promise.all(
    Array.from({ length: RUNS }, (_, n) =>
      (n % 2 === 0 ? first! : second!).post('/', { message: `run ${n}`, background: true }),
    ),
  );
  const ids = begun.flatMap((answer) => (answer.status === 202 ? [answer.json<PaidRun>().run_id] : []));
  expect(ids).toHaveLength(RUNS);
  const states = async (): Promise<readonly string[]> => {
    const runs = await Promise.all(ids.map(async (id) => (await client.get(`/runs/${id}`)).json<PaidRun>()));
    return runs.map(({ status }) => status);
  };
  await until(async () => (await states()).every((status) => status === 'completed' || status === 'waiting'));
  expect(calls).toBeGreaterThanOrEqual(LIMIT);
  // Under way on both when it is reached, and what either begins before it hears of the other.
  expect(calls).toBeLessThanOrEqual(LIMIT + 2 * AT_ONCE + 2 * AT_ONCE);
  expect((await states()).filter((status) => status === 'waiting')).toHaveLength(RUNS - calls);
  for (const on of [first!, second!]) expect((await on.post('/', { message: 'x' })).status).toBe(402);
  const spent = async (on: typeof client) =>
    (await on.get('/budgets')).json<{ items: { spent: string }[] }>().items[0]?.spent;
  for (const on of [first!, second!])
    await until(async () => (await spent(on)) === String(Number((calls * 0.003).toFixed(3))));
  expect((await put('10', second)).status).toBe(200);
  await until(async () => (await states()).every((status) => status === 'completed'));
  expect(calls).toBe(RUNS);
});
