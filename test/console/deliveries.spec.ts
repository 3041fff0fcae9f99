import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { ConsoleStage, describeInBrowser } from '../support/console.js';
import { until } from '../support/until.js';

describeInBrowser('the page of deliveries', () => {
  let stage: ConsoleStage;
  let receiver: CallbackReceiver;
  let run = '';
  const failed = async (): Promise<number> =>
    (await stage.client.all(`/deliveries?status=failed&run=${run}`)).length;

  beforeAll(async () => {
    receiver = await CallbackReceiver.start(answers(410, {}, '<b>gone</b>'));
    stage = await ConsoleStage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
    const ended = await stage.client.runToEnd({
      message: 'Hello',
      callback: { url: `${receiver.url}?secret=1` },
    });
    run = ended.run_id;
    await until(async () => (await failed()) === 1);
  });
  afterAll(async () => {
    expect(stage.complaints).toEqual([]);
    await stage.close();
    await receiver.close();
  });

  it('shows what failed, why and where it was sent, and nothing of the path', async () => {
    const page = await stage.page({ path: '/console/deliveries?status=failed' });
    const table = page.getByRole('table', { name: 'Deliveries' });
    const row = table.getByRole('row').nth(1);
    await row.getByText('Failed').waitFor();
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('failed');
    const text = await row.innerText();
    expect(text).toContain('agent_started');
    expect(text).toContain('127.0.0.1');
    expect(text).toContain('410');
    expect(text).not.toContain('secret');
    await row.getByText('410').click();
    await row.getByText('<b>gone</b>').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Stopped' });
    await page.waitForURL('**/console/deliveries?status=stopped');
    await table.getByText('Stopped').first().waitFor();
    await page.context().close();
  });

  it('sends one again', async () => {
    const page = await stage.page({ path: '/console/deliveries?status=failed' });
    const before = receiver.received.length;
    await page.getByRole('row').nth(1).getByRole('button', { name: 'Resend' }).click();
    await until(() => receiver.received.length > before);
    await page
      .getByRole('status', { name: 'Announcements' })
      .getByText(/is sent again/)
      .waitFor();
    await page.context().close();
  });

  it('sends all that failed again, since when one says', async () => {
    await until(async () => (await failed()) === 1);
    receiver.react = answers(204);
    const page = await stage.page({ path: '/console/deliveries' });
    const opener = page.getByRole('button', { name: 'Resend all failed' });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Resend all failed' });
    await dialog.getByLabel('Since').fill('whenever');
    await dialog.getByRole('button', { name: 'Resend', exact: true }).click();
    await dialog.getByRole('alert').getByText('Not a time').waitFor();
    await dialog.getByLabel('Since').fill('24 h ago');
    await dialog.getByRole('button', { name: 'Resend', exact: true }).click();
    await dialog.getByText('1 delivery is sent again').waitFor();
    await until(async () => (await failed()) === 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.locator('button:focus').filter({ hasText: 'Resend all failed' }).waitFor();
    await page.context().close();
  });

  it('says where deliveries come from when there are none, with the call for it', async () => {
    const page = await stage.page({ path: '/console/deliveries?from=2030-01-01' });
    await page.getByRole('heading', { level: 2, name: 'No deliveries' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    await page.context().close();
  });

  it('has no buttons for a key that may only read', async () => {
    const made = await stage.client.post('/api-keys', { name: 'reader', scopes: ['read'] });
    const { key } = made.json<{ key: string }>();
    const page = await stage.page({ key, path: '/console/deliveries' });
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    expect(await page.getByRole('button', { name: /Resend/ }).count()).toBe(0);
    await page.context().close();
  });

  it('stays a short page however many were loaded', async () => {
    const page = await stage.page();
    await page.route(/\/deliveries\?/, async (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      const items = Array.from({ length: 50 }, (_, n) => madeUp(from + n));
      await route.fulfill({ json: { items, next_cursor: from + 50 < 200 ? String(from + 50) : null } });
    });
    await stage.go(page, '/console/deliveries');
    const more = page.getByRole('button', { name: 'Load more' });
    for (let pages = 1; pages < 4; pages++) {
      await more.click();
      await page.locator(`table[aria-rowcount="${50 * (pages + 1) + 1}"]`).waitFor();
    }
    const nodes = async (): Promise<number> => page.evaluate<number>('document.querySelectorAll("*").length');
    expect(await nodes()).toBeLessThanOrEqual(1500);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: '199 agent_step' }).waitFor();
    expect(await page.getByRole('link', { name: '0 agent_step', exact: true }).count()).toBe(0);
    expect(await nodes()).toBeLessThanOrEqual(1500);
    await page.context().close();
  });
});

/** A delivery as the interface has it. */
const madeUp = (n: number): object => ({
  delivery_id: `dlv_${n}`,
  sequence: n,
  type: 'agent_step',
  status: 'failed',
  attempts: 3,
  last_status: 503,
  next_attempt_at: null,
  last_error: null,
  last_response: 'overloaded',
  event_id: String(n),
  target: 'https://shop.example',
  run_id: 'run_1',
  session: 'ses_1',
  last_attempt_at: new Date(0).toISOString(),
  created_at: new Date(0).toISOString(),
});
