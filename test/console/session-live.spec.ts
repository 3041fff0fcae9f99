import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { coveredBy, describeInBrowser } from '../support/console.js';
import { Gate, before, delay, say } from '../support/scripted-model.js';
import { SessionStage } from '../support/session-stage.js';
import { until } from '../support/until.js';

const valueNow = async (page: Page): Promise<number> =>
  Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow'));
const connection = (page: Page) => page.getByRole('status', { name: 'Connection' });

/** The ids of the rows that are drawn. */
const idsOf = (page: Page): Promise<number[]> =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll('[role=row] .id')].map((cell) => Number(cell.textContent))`,
  );

/** An answer of the log that breaks off behind the first event, as when a page opens in a run's first moments. */
async function beginsWith(stage: SessionStage, session: string, route: Route): Promise<void> {
  const accept = { accept: 'application/json' };
  const page = await stage.client.get(`/sessions/${session}/log?limit=1`, { headers: accept });
  const [first] = page.json<{ readonly items: readonly { readonly data: object }[] }>().items;
  const body = `id: 0\ndata: ${JSON.stringify(first?.data)}\n\n`;
  await route.fulfill({ headers: { 'content-type': 'text/event-stream', 'annals-head': '0' }, body });
}

describeInBrowser('a session that goes on while it is looked at', () => {
  let stage: SessionStage;
  beforeAll(async () => {
    stage = await SessionStage.open();
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
  });

  it('shows what comes, follows it, and lets whoever looks elsewhere stay there', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const message = stage.message(
      'Live',
      say('First words', before(gates[0]), ' and more', before(gates[1]), ' and the end'),
    );
    const { session } = await stage.start({ message, streaming_tokens: true });
    await gates[0].reached;
    const page = await stage.page(session);
    await page.getByText('First words').first().waitFor();
    const at = await valueNow(page);
    gates[0].open();
    await page.getByText('and more').first().waitFor();
    expect(await valueNow(page)).toBeGreaterThan(at);
    await page.getByRole('button', { name: 'Previous event' }).click();
    const stayed = await valueNow(page);
    gates[1].open();
    const grid = page.getByRole('grid', { name: 'Log' });
    await until(async () => (await page.getByText('Completed').count()) > 0);
    expect(await valueNow(page)).toBe(stayed);
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByText('and the end').first().waitFor();
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(5);
  });

  it('draws rows and heads of runs anew as they go on, from the first event of the session on', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const message = stage.message(
      'Grows',
      say('In', before(gates[0]), ' three', before(gates[1]), ' pieces'),
    );
    const { session } = await stage.start({ message, streaming_tokens: true });
    await gates[0].reached;
    const page = await stage.console.page();
    await page.route('**/log?inline=*', (route) => beginsWith(stage, session, route), { times: 1 });
    await page.goto(`${stage.console.origin}/console/sessions/${session}`);
    const grid = page.getByRole('grid', { name: 'Log' });
    const said = grid.getByRole('row').filter({ hasText: 'agent_response' });
    await said.first().waitFor();
    gates[0].open();
    await said.getByText('In three', { exact: true }).waitFor();
    gates[1].open();
    await said.getByText('In three pieces', { exact: true }).waitFor();
    await said.getByText(/^3 pieces, /).waitFor();
    const heads = page.locator('.run-heads');
    await heads.getByText(/^Completed, (?!0 ms)/).waitFor();
    await heads.getByText('Run 1', { exact: true }).waitFor();
    const second = stage.message('At once', say('Said as ', delay(5), 'a whole'));
    await stage.start({ message: second }, session);
    await said.getByText('Said as a whole', { exact: true }).waitFor();
    await until(async () => (await heads.getByText(/^Completed, (?!0 ms)/).count()) === 2);
  });

  it('goes on over a killed service, without a gap and without a double', async () => {
    const [held, never] = [new Gate(), new Gate()];
    const broken = say('Half a sentence', before(held));
    const message = stage.message('Killed', (attempt) => (attempt === 0 ? broken : say('A whole one')));
    const { session } = await stage.start({ message, streaming_tokens: true });
    await held.reached;
    const page = await stage.page(session, { look: '?rows=every' });
    const last = await valueNow(page);
    await stage.killAndStart();
    await connection(page).getByText('Live').waitFor();
    await page.getByText('A whole one').first().waitFor();
    await until(async () => (await page.getByText('Completed').count()) > 0);
    held.open();
    never.open();
    expect(await valueNow(page)).toBeGreaterThan(last);
    const rows = Number(await page.getByRole('grid', { name: 'Log' }).getAttribute('aria-rowcount'));
    const ids = await idsOf(page);
    expect(ids).toEqual(ids.map((_, n) => (ids[0] ?? 0) + n));
    expect(ids.at(-1)).toBe(rows - 1);
    const head = (
      await stage.client.get(`/sessions/${session}/log?limit=1`, { headers: { accept: 'application/json' } })
    ).headers['annals-head'];
    expect(String(ids.at(-1))).toBe(head);
    await page.getByText('took over').first().waitFor();
  });

  it('hangs up while nobody sees it, and has what came meanwhile when somebody does', async () => {
    const openStreams = async (): Promise<number> =>
      Number(/^annals_streams_open (\d+)$/m.exec((await stage.client.get('/metrics')).text)?.[1]);
    const { session } = await stage.start({ message: stage.message('Hidden', say('Before')) });
    const page = await stage.page(session);
    await page.getByText('Before').first().waitFor();
    const shown = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const open = await openStreams();
    await shown('hidden');
    await until(async () => (await connection(page).textContent())?.trim() === 'Paused while hidden');
    await until(async () => (await openStreams()) === open - 1);
    await stage.start({ message: stage.message('Later', say('Meanwhile')) }, session);
    expect(await page.getByText('Meanwhile').count()).toBe(0);
    await shown('visible');
    await page.getByText('Meanwhile').first().waitFor();
    expect(await connection(page).textContent()).toContain('Live');
  });

  it('says that it reconnects while there is no service', async () => {
    const session = await stage.told();
    const page = await stage.page(session);
    const last = await valueNow(page);
    await stage.console.service.kill();
    await connection(page).getByText(`Reconnecting, last event ${last}`).waitFor();
    expect(await coveredBy(page, '[aria-label=Connection]')).toEqual([]);
  });
});
