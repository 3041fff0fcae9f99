import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser, overflowOf } from '../support/console.js';

const PROBLEM = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'the database of the lists does not answer now',
  code: 'unavailable',
  request_id: 'req_0123456789abcdef01234567',
};

describeInBrowser('lists', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
  });
  afterAll(() => stage.close());

  const begin = async (message: string): Promise<string> =>
    (await stage.client.runToEnd({ message })).session;

  it('say what would be there while nothing is, with the call that brings it', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    await page.getByRole('heading', { level: 2, name: 'No sessions' }).waitFor();
    expect(await page.locator('pre').textContent()).toContain(`'${stage.origin}/'`);
    await page.context().close();
  });

  it('show what is new by themselves, as text whatever it holds', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    const hostile = '<img src=x onerror=alert(1)> \u202Eevil';
    const session = await begin(hostile);
    const row = page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(1);
    await row.waitFor();
    expect(await row.getByRole('cell').first().textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await row.getByRole('link').getAttribute('href')).toBe(`/console/sessions/${session}`);
    await page.context().close();
  });

  it('have what can be done with a row in sight where they are wider than their window', async () => {
    const name = 'a key of somebody with a name that is none of the shortest';
    await stage.client.post('/api-keys', {
      name,
      scopes: ['run', 'read', 'datastores', 'approve', 'metrics'],
    });
    for (const width of [800, 1024, 1280]) {
      const page = await stage.page({ width, path: '/console/keys' });
      const row = page.getByRole('row').filter({ hasText: name });
      for (const label of ['Sign-in link', 'Delete key']) {
        const { x, width: wide } = (await row.getByRole('button', { name: label }).boundingBox())!;
        expect([width, label, x + wide <= width - 24]).toEqual([width, label, true]);
      }
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    }
  });

  it('say in words that a time is none', async () => {
    const page = await stage.page({ path: '/console/runs' });
    await page.getByLabel('From').fill('the day before yesterday');
    await page.getByLabel('From').press('Enter');
    await page.getByRole('alert').getByText('Not a time. Such as 2026-11-26').waitFor();
    expect(await page.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('From').fill('24 h ago');
    await page.getByLabel('From').press('Enter');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('are filtered in their address', async () => {
    const { run_id: run } = (
      await stage.client.post('/', {
        message: 'needs what is not there',
        background: true,
        mcp_servers: [{ serverName: 'shop', serverUrl: 'https://shop.invalid/mcp', required: true }],
      })
    ).json<{ run_id: string }>();
    const page = await stage.page({ path: '/console/runs' });
    await page.getByLabel('Status').selectOption({ label: 'Failed' });
    await page.waitForURL('**/console/runs?status=failed');
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByRole('cell', { name: 'Failed' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    expect(await table.getByRole('link', { name: 'Failed' }).getAttribute('href')).toBe(
      `/console/runs/${run}`,
    );
    expect(await table.getByText('tool_servers_lost').count()).toBe(1);
    await page.getByLabel('From').fill('2090-01-01');
    await page.getByLabel('From').press('Enter');
    await page.getByRole('heading', { level: 2, name: 'No such runs' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^2(?:090|089)-/);
    await page.goBack();
    await table.waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe('');
    await page.context().close();
  });

  it('of runs say how long each one took to its first token, where there is one', async () => {
    await stage.client.runToEnd('What is 6 x 7?');
    for (const [status, shown] of [
      ['completed', /\d m?s$/],
      ['failed', /^–$/],
    ] as const) {
      const page = await stage.page({ path: `/console/runs?status=${status}` });
      const table = page.getByRole('table', { name: 'Runs' });
      await table.waitFor();
      const names = await table.getByRole('columnheader').allTextContents();
      const cells = table.getByRole('row').nth(1).getByRole('cell');
      expect(await cells.nth(names.indexOf('First token')).textContent()).toMatch(shown);
      await page.context().close();
    }
  });

  it('cancel a run and try one again from its row', async () => {
    const page = await stage.page({ path: '/console/runs?status=failed' });
    const retried = page.waitForResponse((answer) => answer.url().endsWith('/retry'));
    await page.getByRole('button', { name: 'Retry run' }).click();
    expect((await retried).status()).toBeLessThan(500);
    await page.context().close();
  });

  it('say what failed, count down and try again by themselves, and keep what was there', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    let asked = 0;
    await page.route('**/sessions?*', (route) => {
      asked += 1;
      return asked > 1
        ? route.continue()
        : route.fulfill({
            status: 503,
            json: PROBLEM,
            headers: { 'retry-after': '2' },
            contentType: 'application/problem+json',
          });
    });
    const alert = page.getByRole('region', { name: 'Sessions' }).getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain(PROBLEM.detail);
    expect(await alert.textContent()).toContain(PROBLEM.request_id);
    expect(await alert.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
    expect(await alert.getByText(/by itself in \d s/).isVisible()).toBe(true);
    expect(await page.getByRole('table', { name: 'Sessions' }).isVisible()).toBe(true);
    await alert.waitFor({ state: 'detached' });
    expect(asked).toBeGreaterThan(1);
    await page.context().close();
  });

  it('load more', async () => {
    const sessions = await Promise.all(Array.from({ length: 52 }, (_, i) => begin(`message ${i}`)));
    const page = await stage.page({ path: '/console/sessions' });
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    // Those in sight, and not more than a page has: the oldest when one is at the end.
    expect(await rows.count()).toBeLessThanOrEqual(sessions.length);
    await page.mouse.move(640, 450);
    await page.mouse.wheel(0, 100_000);
    await page.getByRole('link', { name: '<img src=x' }).waitFor();
    await page.context().close();
  });

  it('complained of nothing', () => expect(stage.complaints).toEqual([]));
});
