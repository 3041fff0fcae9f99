import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser, overflowOf, violationsOf } from '../support/console.js';
import { SessionStage } from '../support/session-stage.js';
import { until } from '../support/until.js';

const stateAt = (page: Page, at: number) =>
  page.getByRole('region', { name: `State at event ${at}`, exact: true });
const slider = (page: Page) => page.getByRole('slider', { name: 'Position' });
const valueNow = async (page: Page): Promise<number> =>
  Number(await slider(page).getAttribute('aria-valuenow'));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('the page of a session', () => {
  let stage: SessionStage;
  let session: string;
  let last: number;
  beforeAll(async () => {
    stage = await SessionStage.open();
    session = await stage.told();
    last = Number(
      (
        await stage.client.get(`/sessions/${session}/log?limit=1`, {
          headers: { accept: 'application/json' },
        })
      ).headers['annals-head'],
    );
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
  });

  it('says what it shows, and follows the end', async () => {
    const page = await stage.page(session);
    await page.getByRole('heading', { level: 1, name: /^The lamp came broken/ }).waitFor();
    await stateAt(page, last).waitFor();
    expect(await valueNow(page)).toBe(last);
    expect(await slider(page).getAttribute('aria-valuetext')).toMatch(
      new RegExp(`^event ${last} of ${last}, run_parked, \\d\\d:`),
    );
    expect(await button(page, 'Live').getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    for (const [group, names] of [
      ['Axis', ['Time', 'Events']],
      ['Rows', ['Blocks', 'Every event']],
    ] as const)
      for (const name of names)
        expect(await page.getByRole('radiogroup', { name: group }).getByRole('radio', { name }).count()).toBe(
          1,
        );
    for (const name of ['Conversation', 'Context', 'Run', 'Event'])
      expect(await page.getByRole('tablist', { name: 'State' }).getByRole('tab', { name }).count()).toBe(1);
    await page.getByRole('link', { name: 'Open chat' }).waitFor();
  });

  it('has every event in a row, and the pieces of a block in one', async () => {
    const page = await stage.page(session, { look: '@6' });
    const grid = page.getByRole('grid', { name: 'Log' });
    const blocks = Number(await grid.getAttribute('aria-rowcount'));
    expect(blocks).toBeLessThan(last + 1);
    await page.getByText('2 pieces').first().waitFor({ state: 'attached' });
    await page.getByRole('radio', { name: 'Every event' }).check();
    await until(async () => Number(await grid.getAttribute('aria-rowcount')) === last + 1);
    await button(page, 'Last event').click();
    await stateAt(page, last).waitFor();
    const selected = grid.getByRole('row', { selected: true });
    expect(await selected.getAttribute('aria-rowindex')).toBe(String(last + 1));
    const cells = await selected.getByRole('gridcell').allInnerTexts();
    expect([cells.length, cells[0], cells[2]?.trim()]).toEqual([5, String(last), 'run_parked']);
  });

  it('is scrubbed by slider, field, buttons, rows and keys, and its address follows', async () => {
    const page = await stage.page(session);
    await slider(page).focus();
    await page.keyboard.press('Home');
    await stateAt(page, 0).waitFor();
    await page.keyboard.press('ArrowRight');
    await stateAt(page, 1).waitFor();
    await page.getByRole('spinbutton', { name: 'Event' }).fill('7');
    await page.keyboard.press('Enter');
    await stateAt(page, 7).waitFor();
    await page.waitForURL((url) => url.pathname.endsWith(`/${session}@7`));
    await button(page, 'Next event').click();
    await stateAt(page, 8).waitFor();
    await button(page, 'Fork at event 8').waitFor();
    await page.getByRole('row', { selected: false }).filter({ hasText: 'agent_started' }).first().click();
    const started = await valueNow(page);
    await stateAt(page, started).waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('j');
    expect(await valueNow(page)).toBeGreaterThan(started);
    await page.keyboard.press('0');
    await stateAt(page, last).waitFor();
    expect(await button(page, 'Live').getAttribute('aria-pressed')).toBe('true');
    await page.waitForURL((url) => url.pathname.endsWith(`/${session}`));
  });

  it('opens at the event that its address names, with rows, axis, words and tab as they were', async () => {
    const page = await stage.page(session, { look: '@5?rows=every&axis=events&q=lamp&tab=event' });
    await stateAt(page, 5).waitFor();
    expect(await page.getByRole('radio', { name: 'Every event' }).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: 'Events', exact: true }).isChecked()).toBe(true);
    expect(await page.getByRole('tab', { name: 'Event' }).getAttribute('aria-selected')).toBe('true');
    await page
      .getByRole('status', { name: 'Matches' })
      .getByText(/of \d+$/)
      .waitFor();
    await button(page, 'Next match').click();
    await page
      .getByRole('status', { name: 'Matches' })
      .getByText(/^[12] of \d+$/)
      .waitFor();
  });

  it('plays, jumps to turns, runs and errors, and hides lanes', async () => {
    const page = await stage.page(session, { look: '@0' });
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('J');
    expect(await valueNow(page)).toBe(1);
    await page.keyboard.press(']');
    const turn = await valueNow(page);
    expect(turn).toBeGreaterThan(1);
    await page.keyboard.press(' ');
    await button(page, 'Pause').waitFor();
    await until(async () => (await valueNow(page)) > turn);
    await button(page, 'Pause').click();
    await button(page, 'Play').waitFor();
    const grid = page.getByRole('grid', { name: 'Log' });
    const all = Number(await grid.getAttribute('aria-rowcount'));
    await button(page, 'Lanes').click();
    await page.getByRole('checkbox', { name: 'Model' }).uncheck();
    await until(async () => Number(await grid.getAttribute('aria-rowcount')) < all);
    await page.getByRole('checkbox', { name: 'Model' }).check();
    await page.getByRole('checkbox', { name: 'Quiet' }).check();
    await until(async () => Number(await grid.getAttribute('aria-rowcount')) < all);
  });

  it('is forked where one stands', async () => {
    const page = await stage.page(session, { look: '@9' });
    await button(page, 'Fork at event 9').click();
    const dialog = page.getByRole('dialog', { name: 'Fork session' });
    expect(await dialog.getByRole('spinbutton', { name: 'At event' }).inputValue()).toBe('9');
    await dialog.getByRole('textbox', { name: 'Title' }).fill('What if');
    await dialog.getByRole('button', { name: 'Create fork' }).click();
    await page.getByRole('heading', { level: 1, name: 'What if' }).waitFor();
    const from = page.getByRole('link', { name: /^Forked from The lamp came broken.* at 9$/ });
    await from.click();
    await stateAt(page, 9).waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    for (const width of [1280, 320])
      it(`has nothing that axe finds, and nothing too wide: ${theme}, ${width} px`, async () => {
        for (const tab of ['conversation', 'context', 'run', 'event']) {
          const page = await stage.page(session, { theme, width, look: `@${last - 1}?tab=${tab}` });
          if (width < 760)
            await page
              .getByRole('radiogroup', { name: 'View' })
              .getByRole('radio', { name: 'State' })
              .check();
          expect(await violationsOf(page)).toEqual([]);
          expect(await overflowOf(page)).toBe(0);
          await page.context().close();
        }
      });

  it('keeps no word of a session that is erased while it is on the screen', async () => {
    const own = await stage.told();
    const page = await stage.page(own);
    await page.getByText('delivered four days ago').first().waitFor();
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Erase session' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase session' });
    expect(await dialog.getByRole('button', { name: 'Erase for good' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Session id' }).fill(own);
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('heading', { level: 1, name: 'Erased session' }).waitFor();
    await page.getByRole('note', { name: 'Erased session' }).waitFor();
    expect(await page.content()).not.toContain('delivered four days ago');
    expect(await page.getByRole('grid', { name: 'Log' }).getByRole('row').count()).toBeGreaterThan(3);
    expect(await button(page, 'Open chat').count()).toBe(0);
  });
});
