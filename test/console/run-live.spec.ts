import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/console.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { SessionStage } from '../support/session-stage.js';
import { until } from '../support/until.js';

const rowOf = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Waterfall' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });

const EDGES = `(() => {
  const canvas = document.querySelector('.lanes canvas');
  const [labels, scale] = [[...document.querySelectorAll('.lanes svg > text')], devicePixelRatio];
  const [model, tools] = ['Model', 'Tools'].map((lane) => labels.find((text) => text.textContent === lane).getBBox());
  const y = Math.round(((model.y + model.height + tools.y) / 2) * scale);
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(--bad)';
  const bad = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  const { data } = canvas.getContext('2d').getImageData(0, y - 3, canvas.width, 6);
  const edges = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (bad.every((part, n) => Math.abs(data[at + n] - part) < 60)) edges.add(Math.round(((at / 4) % canvas.width) / 4));
  return [...edges].some((x) => [...edges].some((other) => other > x + 1));
})()`;

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
    const { run_id: run, session: started } = await stage.start({ message, streaming_tokens: true });
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
    // Between the lanes nothing has the colour of a fault but the edges: one where it fell silent, one of the take-over.
    const session = await stage.page(started);
    await until(() => session.evaluate<boolean>(EDGES));
    await session.context().close();
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
