import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/console.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { SessionStage } from '../support/session-stage.js';

const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Waterfall' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });

describeInBrowser('a run that goes on while its page is open', () => {
  let stage: SessionStage;
  beforeAll(async () => {
    stage = await SessionStage.open();
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
  });
  const open = async (run: string): Promise<Page> => {
    const page = await stage.console.page();
    await page.goto(`${stage.console.origin}/console/runs/${run}`);
    return page;
  };

  it('tells of a take-over by itself when the service was killed: how long nobody was heard of, and who goes on', async () => {
    const held = new Gate();
    const broken = say('Half a sentence', before(held));
    const message = stage.message('Killed', (attempt) => (attempt === 0 ? broken : say('A whole one')));
    const { run_id: run } = await stage.start({ message, streaming_tokens: true });
    await held.reached;
    const page = await open(run);
    await rowOf(page, 'turn 1').getByText('goes on').waitFor();
    await stage.killAndStart();
    const over = rowOf(page, 'taken over');
    await over.getByText(/^replica .+ silent; .+, 2nd claim$/).waitFor();
    held.open();
    await page.getByText('Completed', { exact: true }).waitFor();
    await rowOf(page, 'turn 1').first().getByText('cut off').waitFor();
    expect(await rowOf(page, 'turn 1').count()).toBe(2);
    expect(await page.getByText('goes on').count()).toBe(0);
    await page.context().close();
  });

  it('has a row for an attempt that failed, with its reason, and one for the next', async () => {
    const broken = say('Half', { kind: 'reset' });
    const message = stage.message('Broken', (attempt) => (attempt === 0 ? broken : say('A whole one')));
    const { run_id: run } = await stage.start({ message, streaming_tokens: true });
    const page = await open(run);
    await rowOf(page, 'turn 1, attempt 1')
      .getByText(/^failed: /)
      .waitFor();
    await rowOf(page, 'turn 1')
      .getByText(/^first token/)
      .waitFor();
    await page.context().close();
  });

  it('shows what others wrote as text, whatever it is', async () => {
    const hostile = '<img src=x onerror=alert(1)> \u202Eevil';
    const message = stage.message(hostile, say('<script>alert(2)</script>'));
    const { run_id: run } = await stage.start({ message, metadata: { who: '<b>me</b>' }, rules: [hostile] });
    const page = await open(run);
    await page.getByRole('heading', { level: 1 }).getByText('<img src=x').waitFor();
    await page.getByText('who: <b>me</b>').waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await page.context().close();
  });
});
