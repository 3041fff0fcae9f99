import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ConsoleStage, describeInBrowser } from '../support/console.js';
import { until } from '../support/until.js';
import type { Page } from 'playwright-core';

const TOOL = {
  name: 'get_order',
  description: 'Gets an order',
  parameters: { type: 'object', properties: { order: { type: 'string' } } },
};

interface Line {
  readonly revision: number;
  readonly type: string;
  readonly time: number;
  readonly text: string;
}

const deliveryOf = (_: unknown, n: number): object => ({
  delivery_id: `dlv_${n}`,
  type: 'agent_step',
  status: 'failed',
  attempts: 3,
  last_status: 503,
  next_attempt_at: null,
  last_error: null,
  last_response: 'overloaded',
  event_id: String(n),
  target: 'https://shop.example',
  last_attempt_at: new Date(0).toISOString(),
  created_at: new Date(0).toISOString(),
});

/** What stands in a column of a table, from top to bottom. */
const columnOf = (page: Page, table: string, n: number): Promise<string[]> =>
  page
    .getByRole('table', { name: table, exact: true })
    .locator(`tbody tr > td:nth-child(${n})`)
    .allInnerTexts();

describeInBrowser('the page of a run', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
  });
  afterAll(async () => {
    expect(stage.complaints).toEqual([]);
    await stage.close();
  });

  it('has a row for the wait, for each turn and for each call, and they lead to their events', async () => {
    const run = await stage.client.runToEnd({
      message: 'What is 6 x 7?',
      system: 'Be brief.',
      metadata: { customer: 'c-42' },
    });
    const page = await stage.page({ path: `/console/runs/${run.run_id}` });
    await page.getByRole('heading', { level: 1, name: 'Run in What is 6 x 7?' }).waitFor();
    expect(await columnOf(page, 'Waterfall', 1)).toEqual(['queued', 'turn 1']);
    expect((await columnOf(page, 'Waterfall', 4))[1]).toMatch(/^first token [\d.]+ m?s, \d+ tokens\/s/);
    // In a card, too, what is said of a turn is one sentence.
    await page.setViewportSize({ width: 360, height: 700 });
    const words = page.getByRole('table', { name: 'Waterfall' }).getByRole('row').last().locator('.told bdi');
    const [first, next] = [await words.nth(0).boundingBox(), await words.nth(1).boundingBox()];
    expect(next!.x - first!.x - first!.width).toBeLessThan(12);
    await page.setViewportSize({ width: 1280, height: 700 });
    for (const text of ['Be brief.', 'customer: c-42', 'Completed'])
      await page.getByText(text).first().waitFor();
    const opens = page.getByRole('link', { name: 'Open in session' });
    expect(await opens.getAttribute('href')).toMatch(new RegExp(`^/console/sessions/${run.session}@\\d+$`));
    await page.getByRole('table', { name: 'Waterfall' }).getByRole('link', { name: 'turn 1' }).click();
    await page.waitForURL(`**/console/sessions/${run.session}@*`);
    await page.context().close();
  });

  it('goes on by itself while the run does, and cancels it', async () => {
    const answer = await stage.client.post('/', {
      message: 'Use get_order for 4711',
      tools: [TOOL],
      background: true,
    });
    const { run_id: run } = answer.json<{ run_id: string }>();
    const page = await stage.page({ path: `/console/runs/${run}` });
    const waterfall = page.getByRole('table', { name: 'Waterfall' });
    const call = waterfall.getByRole('row', { name: /get_order/ });
    await call.getByText('waits', { exact: true }).waitFor();
    expect(await call.innerText()).toContain('waits for the caller');
    expect(await page.getByRole('button', { name: 'Replay run' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await call.getByText('cancelled').waitFor();
    await page.getByRole('button', { name: 'Retry run' }).waitFor();
    await page.context().close();
  });

  it('has a receipt when it has ended, to be copied and kept, and says why where there is none', async () => {
    const run = await stage.client.runToEnd({ message: 'Hello' });
    const page = await stage.page({ path: `/console/runs/${run.run_id}` });
    const receipt = page.getByRole('region', { name: 'Receipt' });
    const { text } = await stage.client.get(`/runs/${run.run_id}/receipt`);
    await receipt.getByText('annals receipt v1').waitFor();
    expect(await receipt.locator('pre').textContent()).toBe(text);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      receipt.getByRole('button', { name: 'Download receipt' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`${run.run_id}.receipt.txt`);
    expect(readFileSync(await saved.path(), 'utf8')).toBe(text);
    for (const [status, code, words] of [
      [503, 'sealing_stopped', 'sealing has stopped'],
      [404, 'not_found', 'the session was erased'],
      [409, 'conflict', 'before the run has ended'],
    ] as const) {
      const body = JSON.stringify({ title: 'No', status, code, detail: 'no' });
      await page.route('**/receipt', (route) =>
        route.fulfill({ status, contentType: 'application/problem+json', body }),
      );
      await page.reload();
      await receipt.getByText(words).waitFor();
      await page.unroute('**/receipt');
    }
    await page.context().close();
  });

  it('shows the steps of a workflow under their call, on the same axis', async () => {
    const example = JSON.parse(readFileSync('docs/examples/workflow.json', 'utf8')) as { message: string };
    const run = await stage.client.runToEnd(example);
    const page = await stage.page({ path: `/console/runs/${run.run_id}` });
    await page
      .getByRole('table', { name: 'Waterfall' })
      .getByRole('row', { name: /turn 2/ })
      .waitFor();
    const names = await columnOf(page, 'Waterfall', 1);
    expect(names.slice(0, 3)).toEqual(['queued', 'turn 1', 'run_workflow']);
    expect(names.slice(3, -1).toSorted()).toEqual(['guide', 'plan', 'sights', 'weather']);
    expect(names.at(-1)).toBe('turn 2');
    await page.context().close();
  });

  it('shows a run as it stood at an event', async () => {
    const run = await stage.client.runToEnd('Hello');
    const headers = { accept: 'application/json' };
    const answer = await stage.client.get(`/runs/${run.run_id}/events`, { headers });
    const { items } = answer.json<{ items: { id: string; data: { type: string } }[] }>();
    const first = items.find(({ data }) => data.type === 'agent_started')?.id ?? '';
    const page = await stage.page({ path: `/console/runs/${run.run_id}@${first}` });
    await page
      .getByRole('table', { name: 'Waterfall' })
      .getByRole('row', { name: /turn 1/ })
      .getByText('goes on')
      .waitFor();
    await page.getByRole('link', { name: 'show all of it' }).click();
    await page.getByText(/^first token/).waitFor();
    await page.context().close();
  });

  it('gives a run again, and holds the two against each other', async () => {
    const run = await stage.client.runToEnd('What is 2 x 3?');
    const other = await stage.client.runToEnd('What is 2 x 4?', { session: run.session });
    const page = await stage.page({ path: `/console/runs/${run.run_id}` });
    await page.getByRole('button', { name: 'Replay run' }).click();
    await page.getByText('replay of').waitFor();
    await stage.go(page, `/console/runs/${run.run_id}`);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('dialog', { name: 'Compare' }).getByRole('link', { name: other.run_id }).click();
    await page.getByRole('heading', { level: 1, name: 'Compare runs' }).waitFor();
    const turns = page.getByRole('table', { name: 'Turns' });
    await turns.getByText('differs').waitFor();
    expect(await turns.locator('del').allInnerTexts()).toEqual(expect.arrayContaining(['3']));
    expect(await turns.locator('ins').allInnerTexts()).toEqual(expect.arrayContaining(['4']));
    await page.keyboard.press('n');
    await page.locator('#turn-1:focus').waitFor();
    await page.getByText('1 of 1 difference').waitFor();
    await page.context().close();
  });

  it('keeps nothing of a run whose session is erased while it is on the screen, nor does a comparison of it', async () => {
    const said = 'What is 8 x 9?';
    const run = await stage.client.runToEnd({ message: said });
    const other = await stage.client.runToEnd({ message: 'What is 9 x 8?' });
    const page = await stage.page({ path: `/console/runs/${run.run_id}` });
    const diff = await stage.page({ path: `/console/diff/${other.run_id}/${run.run_id}` });
    await page.getByRole('heading', { level: 1, name: `Run in ${said}` }).waitFor();
    await diff.getByRole('table', { name: 'Turns' }).waitFor();
    await stage.client.call('DELETE', `/sessions/${run.session}`);
    await page.getByRole('heading', { level: 1, name: 'No such run' }).waitFor();
    await diff.getByRole('table', { name: 'Turns' }).waitFor({ state: 'detached' });
    expect(await page.title()).toBe('No such run · Annals');
    expect(await page.content()).not.toContain(said);
    expect(await page.getByRole('button', { name: 'Replay run' }).count()).toBe(0);
    for (const one of [page, diff]) {
      await one.getByText('It does not exist, or was erased, or belongs to another project.').waitFor();
      await one.context().close();
    }
  });

  it('is a short page however long the run was, and whatever became of its callback', async () => {
    const run = await stage.client.runToEnd({ message: 'What is 7 x 9?' });
    const read = await stage.client.get(`/sessions/${run.session}/log?run=${run.run_id}`, {
      headers: { accept: 'application/json' },
    });
    const { items } = read.json<{ items: { id: string; data: Line }[] }>();
    const turn = items.find(({ data }) => data.type === 'model_turn_completed')!.data;
    // Now and then nothing happens for a minute, which is folded; each turn has two calls.
    const turns = Array.from({ length: 150 }, (_, n): Line => {
      const tool_calls = [0, 1].map((at) => ({ id: `c${n}-${at}`, name: 'get_order', arguments: '{}' }));
      const time = turn.time + n * 500 + Math.floor(n / 30) * 60_000;
      return {
        ...turn,
        revision: 100 + n,
        time,
        text: JSON.stringify({ finish_reason: 'stop', tool_calls }),
      };
    });
    const page = await stage.page();
    await page.route(/\/log\?/, (route) =>
      route.fulfill({
        json: {
          items: [...items, ...turns.map((data) => ({ id: String(data.revision), data }))],
          next_cursor: null,
        },
      }),
    );
    await page.route(/\/deliveries\?/, (route) => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
      return route.fulfill({ json: { items: Array.from({ length: limit }, deliveryOf), next_cursor: 'x' } });
    });
    await stage.go(page, `/console/runs/${run.run_id}`);
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    const nodes = (): Promise<number> => page.evaluate<number>('document.querySelectorAll("*").length');
    expect(await nodes()).toBeLessThanOrEqual(1500);
    const names: string[] = [];
    const later = page.getByRole('button', { name: /^Show later rows/ });
    for (;;) {
      const shown = await columnOf(page, 'Waterfall', 1);
      names.push(...shown);
      if ((await later.count()) === 0) break;
      await later.click();
      await until(async () => (await columnOf(page, 'Waterfall', 1)).join() !== shown.join());
      expect(await nodes()).toBeLessThanOrEqual(1500);
    }
    await page.getByRole('link', { name: 'Show all in Deliveries' }).waitFor();
    expect(names).toHaveLength(2 + 150 * 3);
    await page.context().close();
  });

  it('says of a run that does not exist that it does not, and offers to try again', async () => {
    const page = await stage.page({ path: '/console/runs/run_none' });
    const alert = page.getByRole('alert');
    await alert.getByText('Not Found').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.getByText('Not Found').waitFor();
    await page.context().close();
  });
});
