import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../support/console.js';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

describeInBrowser('the page of keys', () => {
  let stage: ConsoleStage;
  const keys = (): Promise<Listed[]> => stage.client.all<Listed>('/api-keys');
  beforeAll(async () => {
    stage = await ConsoleStage.open();
  });
  afterAll(async () => {
    expect(stage.complaints).toEqual([]);
    await stage.close();
  });

  it('makes a key, and shows it once', async () => {
    const page = await stage.page({ path: '/console/keys' });
    await page.getByRole('heading', { level: 2, name: 'No keys but the first' }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('shop-backend');
    const scopes = dialog.getByRole('group', { name: 'Scopes' });
    await scopes.getByRole('checkbox', { name: 'approve' }).check();
    await scopes.getByRole('checkbox', { name: 'run' }).uncheck();
    expect(await dialog.getByRole('textbox', { name: 'Project' }).inputValue()).toBe('default');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const created = page.getByRole('dialog', { name: 'Key created' });
    const shown = created.getByRole('textbox', { name: 'Key', exact: true });
    const key = await shown.inputValue();
    expect(await shown.getAttribute('readonly')).not.toBeNull();
    await created.getByRole('button', { name: 'Copy key' }).waitFor();
    expect((await stage.service.client(key).get('/runs')).status).toBe(200);
    // Not closed by a slip of the hand: it is nowhere else.
    await page.keyboard.press('Escape');
    expect(await created.count()).toBe(1);
    await created.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('table', { name: 'Keys' }).getByText('shop-backend').waitFor();
    expect(await page.content()).not.toContain(key);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).not.toContain(key);
    expect(await keys()).toMatchObject([{ name: 'shop-backend', scopes: ['read', 'approve'] }]);
    await page.context().close();
  });

  it('gives out a link that signs somebody else in, once', async () => {
    const page = await stage.page({ path: '/console/keys' });
    const row = page.getByRole('row').filter({ hasText: 'shop-backend' });
    await row.getByRole('button', { name: 'Sign-in link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign-in link' });
    const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    expect(url).toMatch(/\/console\/welcome#./);
    const { pathname, hash } = new URL(url);
    const guest = await stage.page({ key: null, path: pathname + hash });
    await guest.getByRole('button', { name: 'Open the console' }).click();
    await guest.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await guest.getByRole('navigation', { name: 'Console' }).getByText('shop-backend').waitFor();
    const late = await stage.page({ key: null, path: pathname + hash });
    await late.getByRole('button', { name: 'Open the console' }).click();
    await late.getByRole('alert').waitFor();
    for (const each of [page, guest, late]) await each.context().close();
  });

  it('says which scope is missing to a key that may not see it', async () => {
    const made = await stage.client.post('/api-keys', { name: 'reader', scopes: ['read'] });
    const { key } = made.json<{ key: string }>();
    const page = await stage.page({ key, path: '/console/keys' });
    await page.getByText('“admin”').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in with another key' }).waitFor();
    await page.context().close();
  });

  it('deletes one after it was told what ends with it', async () => {
    const page = await stage.page({ path: '/console/keys' });
    const row = page.getByRole('row').filter({ hasText: 'reader' });
    await row.getByRole('button', { name: 'Delete key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete key' });
    await dialog.getByText('is refused from then on').waitFor();
    await dialog.getByRole('button', { name: 'Delete key' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await keys()).map(({ name }) => name)).toEqual(['shop-backend']);
    await page.context().close();
  });
});
