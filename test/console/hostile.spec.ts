import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChatStage } from '../support/chat-stage.js';
import { describeInBrowser, overflowOf } from '../support/console.js';
import { call, say, thinking } from '../support/scripted-turn.js';
import { until } from '../support/until.js';

const ELSEWHERE = 'https://elsewhere.example';
const MARKDOWN = [
  '<script>alert(1)</script> <img src=x onerror=alert(2)> <svg/onload=alert(3)>',
  `![a cat](${ELSEWHERE}/cat.png) ![svg](data:image/svg+xml;base64,PHN2Zz4=) ![dot](data:image/png;base64,iVBORw0KGgo=)`,
  `[run me](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>)`,
  `[your bank](https://bank.example@elsewhere.example/pay) https://b\u0430nk.example/login`,
  'refund \u202egnp.exe\u202c zero\u200bwidth \u2066isolated\u2069',
  '> '.repeat(64) + 'deep',
  `| a | b |\n|---|---|\n| ${'wide'.repeat(400)} | <b>x</b> |`,
].join('\n\n');
const WORD = 'w'.repeat(100_000);
const LINES = `${'l'.repeat(1_000_000)}\nlast line`;
const TOOL = { name: 'look_up', description: '<b>', parameters: { type: 'object' } };
const DEEP = {
  deep: JSON.parse('['.repeat(64) + '"core"' + ']'.repeat(64)) as unknown,
  html: '<img src=x onerror=alert(6)>',
};

describeInBrowser('what others wrote', () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await ChatStage.open();
  });
  afterAll(() => stage.close());

  it('is text: nothing of it runs, asks for anything, or is wider than the page', async () => {
    const title = '<img src=x onerror=alert(7)>\u202etitle';
    stage.book.on(
      title,
      say(
        ...thinking(`<b>${WORD}`),
        MARKDOWN,
        ...call(0, 'c0', 'look_up', DEEP),
        ...call(1, 'c1', 'look_up', { word: DEEP.html }),
      ),
      say(WORD),
    );
    stage.book.on(LINES, say(LINES));
    const { client } = stage.console;
    const headers = { accept: 'application/json' };
    const { session } = (await client.post('/', { message: title, tools: [TOOL] }, { headers })).json<{
      session: string;
    }>();
    for (const width of [320, 1280]) {
      const page = await stage.chat(session, { width });
      await page.getByRole('article', { name: 'Approval look_up' }).waitFor();
      const response = page.getByRole('article', { name: 'Agent response' }).first();
      const said = (await response.textContent()) ?? '';
      expect(said).toContain('<script>alert(1)</script>');
      expect(said).toContain('[image: a cat, elsewhere.example]');
      expect(said).toContain('[run me](javascript:alert(4))');
      expect(said).toContain('https://xn--bnk-6cd.example/login');
      expect(said).toContain('refund U+202Egnp.exeU+202C zeroU+200Bwidth U+2066isolatedU+2069');
      expect(await response.locator('blockquote').count()).toBe(8);
      expect(await response.locator('img').count()).toBe(0);
      await page.getByText('Thought for').click();
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    }
    const log = await stage.console.page();
    await log.goto(`${stage.console.origin}/console/sessions/${session}?rows=every`);
    await until(async () => (await log.title()).startsWith('<img src=x onerror=alert(7)>U+202Etitle'));
    await log.getByRole('gridcell').getByText('U+202Etitle').first().waitFor();
    expect(await log.getByRole('grid').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    await log.context().close();
    for (const path of ['/console/approvals', '/console/sessions']) {
      const page = await stage.console.page({ width: 320, path });
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    }
    expect(stage.console.complaints).toEqual([]);
  });

  it('is left by a link only when somebody was told where it leads', async () => {
    const { items } = (await stage.console.client.get('/sessions')).json<{ items: { session: string }[] }>();
    const page = await stage.chat(items.at(-1)!.session);
    const link = page.getByRole('link', { name: 'your bank' });
    for (const button of ['left', 'middle'] as const) {
      await link.click({ button });
      const dialog = page.getByRole('dialog', { name: 'Open link' });
      await dialog.getByText('elsewhere.example', { exact: true }).waitFor();
      expect(await dialog.getByRole('link', { name: 'Open link' }).getAttribute('rel')).toBe(
        'noreferrer noopener',
      );
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
    expect(page.context().pages()).toHaveLength(1);
    expect(stage.console.complaints).toEqual([]);
    await page.context().close();
  });

  it('is shown from its beginning, and whole when it is asked for', async () => {
    const ended = await stage.console.client.runToEnd({ message: LINES });
    const page = await stage.chat(ended.session, { width: 320 });
    const all = page
      .getByRole('article', { name: 'Agent response' })
      .getByRole('button', { name: 'Show all (1.0 MB)' });
    await all.waitFor();
    const shown = (await page.getByRole('article', { name: 'Agent response' }).textContent()) ?? '';
    expect(shown.length).toBeLessThan(21_000);
    await all.click();
    await page.getByRole('article', { name: 'Agent response' }).getByText('last line').waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(1500);
    expect(stage.console.complaints).toEqual([]);
    await page.context().close();
  });
});
