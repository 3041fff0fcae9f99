import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { ConsoleStage, describeInBrowser, untilFocused } from '../support/console.js';

const RAIL = [
  'Chat',
  'Sessions',
  'Approvals',
  'Runs',
  'Deliveries',
  'Usage',
  'Verify',
  'Tasks',
  'Datastores',
  'Keys',
  'System',
];

describeInBrowser('the frame of the console', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
    await stage.client.runToEnd({ message: 'Refund for order 4711' });
  });
  afterAll(() => stage.close());

  it('is come into with the keyboard alone, and leads to where one wanted', async () => {
    const page = await stage.page({ key: null, path: '/console/runs?status=failed' });
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    // The page has taken the focus to its heading: what comes before is one step back.
    await page.keyboard.press('Shift+Tab');
    await untilFocused(page, 'a Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await untilFocused(page, 'input API key');
    await page.keyboard.type('not a key of this service');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await untilFocused(page, 'input API key');
    await page.keyboard.type(ADMIN_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(page.url()).toBe(`${stage.origin}/console/runs?status=failed`);
    await expect(page.getByRole('combobox', { name: 'Status' }).inputValue()).resolves.toBe('failed');
    await page.context().close();
  });

  it('leads nowhere else after a sign-in, whatever its address asks for', async () => {
    for (const to of [
      'https://elsewhere.example/console',
      '//elsewhere.example',
      '/console/../docs',
      '/docs',
    ]) {
      const page = await stage.page({ key: null, path: `/console/sign-in?to=${encodeURIComponent(to)}` });
      await page.getByLabel('API key').fill(ADMIN_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
      expect(page.url()).toBe(`${stage.origin}/console/sessions`);
      await page.context().close();
    }
  });

  it('has every page in its rail, in order, and the focus on the heading of each that is gone to', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    const rail = page.getByRole('navigation', { name: 'Console' });
    const names = await Promise.all(
      (await rail.getByRole('link').all()).map((a) => a.getAttribute('aria-label')),
    );
    expect(names).toEqual(['Annals, start', ...RAIL]);
    for (const name of ['Approvals', 'Deliveries', 'Keys', 'Sessions']) {
      await rail.getByRole('link', { name }).click();
      const heading = page.getByRole('heading', { level: 1, name });
      await heading.waitFor();
      await untilFocused(page, `h1 ${name}`);
      expect(await rail.locator('[aria-current=page]').getAttribute('aria-label')).toBe(name);
    }
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.context().close();
  });

  it('goes by keys, which a text field keeps to itself and a switch turns off', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.getByLabel('From').focus();
    await page.keyboard.type('gs?');
    expect(await page.getByLabel('From').inputValue()).toBe('gs?');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await untilFocused(page, 'button Keyboard shortcuts');
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/console/runs');
    await page.context().close();
  });

  it('remembers the theme and the clock, and nothing of the key', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    for (const name of ['system', 'light', 'dark'])
      await page.getByRole('button', { name: `Theme: ${name}` }).click();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('switch', { name: 'Times in UTC' }).click();
    await stage.go(page, '/console/runs');
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    expect(await page.getByRole('switch', { name: 'Times in UTC' }).isChecked()).toBe(true);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(JSON.parse(kept)).toEqual([
      { 'annals.theme': 'light', 'annals.utc': 'on', 'annals.keys': 'on' },
      {},
    ]);
    await page.context().close();
  });

  it('says that there is no such page, and which scope a key lacks', async () => {
    const { key } = (await stage.client.post('/api-keys', { name: 'reader', scopes: ['read'] })).json<{
      key: string;
    }>();
    const page = await stage.page({ key, path: '/console/nothing/here' });
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    const rail = page.getByRole('navigation', { name: 'Console' });
    expect(await rail.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    expect(await rail.getByRole('link', { name: 'Chat' }).count()).toBe(0);
    await stage.go(page, '/console/keys');
    await page.getByText('scope “admin”').waitFor();
    await page.getByRole('button', { name: 'Sign in with another key' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('API key').fill(ADMIN_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.context().close();
  });

  it('signs out in every tab, and goes on where it stood after another sign-in', async () => {
    const first = await stage.page({ path: '/console/sessions' });
    const second = await stage.page({ beside: first, path: '/console/runs?status=completed' });
    await first.getByRole('button', { name: 'Sign out' }).click();
    await first.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const dialog = second.getByRole('dialog', { name: 'Signed out' });
    await dialog.waitFor();
    expect(await second.getByRole('row').count()).toBe(2);
    await second.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('API key').fill(ADMIN_KEY);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(second.url()).toBe(`${stage.origin}/console/runs?status=completed`);
    // The other tab hears of it, too.
    await first.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await first.context().close();
  });

  it('keeps the page under a sign-in that ended, and repeats what was answered 401', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    await page.context().clearCookies();
    const dialog = page.getByRole('dialog', { name: 'Signed out' });
    await dialog.waitFor();
    expect(await page.getByRole('table', { name: 'Sessions' }).isVisible()).toBe(true);
    expect(await page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Signed out');
    const again = page.waitForResponse((answer) => answer.url().includes('/sessions') && answer.ok());
    await dialog.getByLabel('API key').fill(ADMIN_KEY);
    await dialog.getByLabel('API key').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await again;
    await page.context().close();
  });

  it('asks again, and for no sign-in, where a call from before one is answered 401 behind it', async () => {
    const page = await stage.page({ path: '/console/sessions' });
    const late = Promise.withResolvers<void>();
    let held = 0;
    await page.route(/\/sessions\?/, async (route) => {
      const answer = await route.fetch();
      if (answer.status() === 401) {
        held++;
        await late.promise;
      }
      await route.fulfill({ response: answer });
    });
    await page.context().clearCookies();
    const dialog = page.getByRole('dialog', { name: 'Signed out' });
    await dialog.waitFor();
    await until(() => held > 0);
    await dialog.getByLabel('API key').fill(ADMIN_KEY);
    await dialog.getByLabel('API key').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const again = page.waitForResponse((answer) => answer.url().includes('/sessions?') && answer.ok());
    late.resolve();
    await again;
    expect(await dialog.count()).toBe(0);
    await page.context().close();
  });

  it('counts the decisions that are open', async () => {
    const tool = {
      name: 'refund_payment',
      description: 'refunds',
      parameters: { type: 'object', properties: {} },
    };
    await stage.client.post('/', { message: 'Use refund_payment', background: true, tools: [tool] });
    const page = await stage.page({ path: '/console/sessions' });
    await page.getByRole('link', { name: 'Approvals, 1 open' }).waitFor();
    await page.context().close();
  });

  it('complained of nothing, and asked for nothing elsewhere', () => expect(stage.complaints).toEqual([]));
});
