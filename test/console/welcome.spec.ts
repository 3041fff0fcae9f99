import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../support/console.js';

describeInBrowser('a link that signs in', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
  });
  afterAll(() => stage.close());

  const linkOf = async (more: object = {}): Promise<string> => {
    const made = await stage.client.post('/api-keys', { name: 'approver', scopes: ['read', 'approve'] });
    const { id } = made.json<{ id: string }>();
    const answer = await stage.client.post(`/api-keys/${id}/sign-in-links`, more);
    expect(answer.status).toBe(201);
    const { pathname, hash } = new URL(answer.json<{ url: string }>().url);
    return pathname + hash;
  };

  it('is used by the button alone, once, and leads to where it was made for', async () => {
    const path = await linkOf({ to: '/console/approvals' });
    for (const _ of ['a preview', 'another']) {
      const preview = await stage.page({ key: null, path });
      await preview.context().close();
    }
    const page = await stage.page({ key: null, path });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/approvals');
    const token = path.split('#')[1] ?? '?';
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain(token);
    await page.context().close();

    const late = await stage.page({ key: null, path });
    await late.getByRole('button', { name: 'Open the console' }).click();
    await late.getByRole('alert').waitFor();
    expect(late.url()).toBe(`${stage.origin}/console/welcome`);
    await late.getByRole('link', { name: 'Sign in with a key' }).click();
    await late.getByRole('heading', { name: 'Sign in' }).waitFor();
    await late.context().close();
  });

  it('lacks its token where the address was cut', async () => {
    const page = await stage.page({ key: null, path: '/console/welcome' });
    expect(await page.getByRole('button', { name: 'Open the console' }).count()).toBe(0);
    await page.getByRole('link', { name: 'sign in with a key' }).waitFor();
    await page.context().close();
  });

  it('begins with a chat while the project has no session', async () => {
    const page = await stage.page();
    await page.goto(`${stage.origin}/console`);
    await page.waitForURL('**/console/chat');
    await stage.client.runToEnd({ message: 'hello' });
    await page.goto(`${stage.origin}/console`);
    await page.waitForURL('**/console/sessions');
    await page.context().close();
  });

  it('complained of nothing', () => expect(stage.complaints).toEqual([]));
});
