import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/console.js';
import { SessionStage } from '../support/session-stage.js';

let stage: SessionStage;

describeInBrowser('the page of a session that goes on from another', () => {
  beforeAll(async () => {
    stage = await SessionStage.open();
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
  });

  it('shows of an erased session that it was forked from the structure, to whoever may know it', async () => {
    const own = await stage.told();
    const fork = (await stage.client.post(`/sessions/${own}/fork`, { at: '9' })).json<{ session: string }>();
    await stage.client.call('DELETE', `/sessions/${own}`);
    const page = await stage.page(fork.session);
    const before = page.getByRole('list', { name: 'Forked from an erased session at 9' });
    await before.getByRole('listitem').filter({ hasText: 'agent_started' }).waitFor();
    await page.getByText('10 events', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('The lamp came broken');
    expect(await page.getByRole('article').count()).toBe(0);
    await page.context().close();
  });

  it('keeps no word of what it was forked from when that is erased while it is on the screen, nor does its chat', async () => {
    const own = await stage.told();
    const { session } = (await stage.client.post(`/sessions/${own}/fork`, { at: '20' })).json<{
      session: string;
    }>();
    const page = await stage.page(session);
    const chat = await stage.console.page();
    await chat.goto(`${stage.console.origin}/console/chat/${session}`);
    for (const one of [page, chat]) {
      await one.getByRole('heading', { level: 1, name: /^The lamp came broken/ }).waitFor();
      await one.getByRole('article', { name: 'User message' }).waitFor();
    }
    await stage.client.call('DELETE', `/sessions/${own}`);
    await page
      .getByRole('list', { name: 'Forked from an erased session at 20' })
      .waitFor({ state: 'attached' });
    for (const one of [page, chat]) {
      await one.getByRole('article', { name: 'User message' }).waitFor({ state: 'detached' });
      await one
        .getByRole('heading', { level: 1, name: /^The lamp came broken/ })
        .waitFor({ state: 'detached' });
      expect(await one.content()).not.toContain('The lamp came broken');
      await one.context().close();
    }
  });

  it('shows a wait of what it was forked from as one that it has nothing to do with', async () => {
    const own = await stage.told();
    const at = String(await stage.head(own));
    const fork = (await stage.client.post(`/sessions/${own}/fork`, { at })).json<{ session: string }>();
    for (const path of [`sessions/${fork.session}`, `chat/${fork.session}`]) {
      const page = await stage.console.page();
      await page.goto(`${stage.console.origin}/console/${path}`);
      const wait = page.getByRole('article', { name: 'Approval orders_lookup' }).last();
      await wait.getByText('Waits in the session that this was forked from').waitFor();
      expect(await wait.getByRole('button', { name: /Answer|Deny/ }).count()).toBe(0);
      await page.context().close();
    }
  });
});
