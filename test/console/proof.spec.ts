import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { describeInBrowser, focusOf, untilFocused, overflowOf, violationsOf } from '../support/console.js';
import { verifyText } from '../support/proof/verify-text.js';
import { SessionStage } from '../support/session-stage.js';
import { until } from '../support/until.js';

const SAID = 'delivered four days ago';
const OTHER_KEY = 'example.com/annals+f95b6637+AWY+I0+8fZI9dQgXTBhJLq+fHIjl7pmaLQZlRbal7Qbc';

const badge = (page: Page, level: string) =>
  page.getByRole('button', { name: `Verification: ${level}`, exact: true });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Verification' });

/** Answers as the service does, with another body. */
const changed =
  (change: (body: string) => string) =>
  async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  };

/** Has the session's log come with changed lines, and end there. */
async function changeLog(page: Page, stage: SessionStage, session: string, change: (line: string) => string) {
  const accept = { accept: 'application/json' };
  const answer = await stage.client.get(`/sessions/${session}/log?limit=200`, { headers: accept });
  const { items } = answer.json<{
    readonly items: readonly { readonly id: string; readonly data: object }[];
  }>();
  const events = items.map(({ id, data }) => `id: ${id}\ndata: ${change(JSON.stringify(data))}\n\n`);
  const headers = { 'annals-head': String(items.length - 1) };
  await page.route('**/log?*', (route) =>
    route.fulfill({ contentType: 'text/event-stream', headers, body: events.join('') }),
  );
}

/** What the browser keeps of a page in JavaScript, without what nobody can reach any more. */
async function heapOf(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', {});
  await devtools.detach();
  return chunks.join('');
}

describeInBrowser('what a page says of how far it can be believed', () => {
  let stage: SessionStage;
  let session: string;
  let policy: string;
  beforeAll(async () => {
    stage = await SessionStage.open();
    session = await stage.told();
    policy = (await stage.client.get('/proof/keys')).text;
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
  });

  it('is the verifier’s word, with how many events are sealed, and whom this browser believes', async () => {
    const page = await stage.page(session);
    await badge(page, 'signed').waitFor();
    const count = (await stage.head(session)) + 1;
    await page.getByText(`${count} of ${count} events sealed`, { exact: true }).waitFor();
    expect(await page.evaluate(`localStorage.getItem('annals.log-keys')`)).toBe(policy);
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('v');
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await until(async () => (await focusOf(page)).startsWith('h1 The lamp'));
    await badge(page, 'signed').focus();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await untilFocused(page, 'button Verification: signed');
    await page.keyboard.press('v');
    await dialog(page).getByText(`${count} of ${count} events: their order`).waitFor();
    await dialog(page).getByText('what this page shows').waitFor();
    await dialog(page).getByText('A page that a service gives you can lie for it').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog(page).getByRole('link', { name: 'verify.html' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toBe(readFileSync('dist/verify.html', 'utf8'));
    await page.context().close();
  });

  it('one byte changed: not verified, naming the event, and the way to it', async () => {
    const page = await stage.console.page();
    await changeLog(page, stage, session, (line) => line.replace(SAID, SAID.replace('four', 'five')));
    await page.goto(`${stage.console.origin}/console/sessions/${session}@1`);
    await badge(page, 'not verified').click();
    const named = dialog(page).getByRole('button', { name: /^Go to event \d+$/ });
    const at = (await named.textContent())?.match(/\d+/)?.[0];
    await dialog(page).getByText('commitment: its text is not the one that was written').first().waitFor();
    await named.click();
    await page
      .getByRole('region', { name: `State at event ${at}` })
      .getByText('five days')
      .first()
      .waitFor();
    await page.context().close();
  });

  it('what is on the screen is held against the proof, not what comes with it', async () => {
    const page = await stage.console.page();
    const last = await stage.head(session);
    // Nothing comes behind the last event that could show it: only the proof does.
    await changeLog(page, stage, session, (line) =>
      line.startsWith(`{"revision":${last},`) ? line.replace('"actor":"', '"actor":"not_') : line,
    );
    await page.goto(`${stage.console.origin}/console/sessions/${session}@1`);
    await badge(page, 'not verified').click();
    await dialog(page).getByText(`Event ${last}`, { exact: true }).waitFor();
    await dialog(page).getByText('head').first().waitFor();
    await page.context().close();
  });

  it('another key than the first: not verified, naming both, until somebody believes it; a rotation is none', async () => {
    const page = await stage.page(session);
    await badge(page, 'signed').waitFor();
    const [, known = ''] = /^log (\S+)/m.exec(policy) ?? [];
    await page.route(
      '**/proof/keys',
      changed((body) => body.replace(known, OTHER_KEY)),
    );
    await page.reload();
    await badge(page, 'not verified').click();
    for (const key of [known, OTHER_KEY]) await dialog(page).getByText(key, { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.route(
      '**/proof/keys',
      changed((body) => `log ${OTHER_KEY}\n${body}`),
    );
    await dialog(page).getByRole('button', { name: 'Check again' }).click();
    await badge(page, 'signed').waitFor({ state: 'attached' });
    await page.unrouteAll({ behavior: 'wait' });
    await page.route(
      '**/proof/keys',
      changed((body) => body.replace(`log ${known}`, `log ${OTHER_KEY}\n# retired ${known}`)),
    );
    await dialog(page).getByRole('button', { name: 'Check again' }).click();
    // What the new key has not signed it has not signed.
    await dialog(page).getByText('signature').first().waitFor();
    expect(await dialog(page).getByText('Another key').count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await dialog(page).getByRole('button', { name: 'Check again' }).click();
    await dialog(page).getByText('Another key').waitFor();
    await dialog(page).getByRole('button', { name: 'Believe the new key' }).click();
    await badge(page, 'signed').waitFor({ state: 'attached' });
    expect(await page.evaluate(`localStorage.getItem('annals.log-keys')`)).toBe(policy);
    await page.context().close();
  });

  it('is the chain alone while the service gives no proof, and goes on by itself', async () => {
    const page = await stage.console.page();
    await page.route('**/export?*', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '1' } }),
    );
    await page.goto(`${stage.console.origin}/console/sessions/${session}`);
    await badge(page, 'chain').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await badge(page, 'signed').waitFor();
    await page.context().close();
  });

  it('a session is exported as a file that `annals verify` takes, with its texts and without', async () => {
    const page = await stage.page(session);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${session}.annals.jsonl`);
    const whole = readFileSync(await file.path(), 'utf8');
    expect(whole).toContain(SAID);
    expect(verifyText(whole, { policy })).toMatchObject({ level: 'signed', session, disclosed: 'all' });
    await page.getByRole('button', { name: 'More actions' }).click();
    const [bare] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export without texts' }).click(),
    ]);
    const structure = readFileSync(await bare.path(), 'utf8');
    expect(structure).not.toContain(SAID);
    expect(verifyText(structure, { policy })).toMatchObject({ level: 'signed', disclosed: 'none' });
    await page.context().close();
  });

  it('of a session that is erased on the screen no text is left in memory, and what remains is proved', async () => {
    const own = await stage.told();
    const page = await stage.page(own);
    await badge(page, 'signed').waitFor();
    await page.getByText(SAID).first().waitFor();
    const chat = await stage.console.page({ path: `/console/chat/${own}` });
    await chat.getByText(SAID).first().waitFor();
    expect(await heapOf(page)).toContain(SAID);
    await stage.client.call('DELETE', `/sessions/${own}`);
    await page.getByRole('heading', { level: 1, name: 'Erased session' }).waitFor();
    await page.getByRole('note', { name: 'Erased session' }).getByText('by first admin key').waitFor();
    await badge(page, 'signed').waitFor();
    expect(await heapOf(page)).not.toContain(SAID);
    expect(await page.content()).not.toContain(SAID);
    await chat.getByRole('heading', { level: 1, name: 'Erased session' }).waitFor();
    // Nothing can be said there any more, and what it cost is not known, which is not nothing.
    expect(await chat.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    for (const one of [page, chat]) expect(await one.getByText('$0', { exact: true }).count()).toBe(0);
    expect(await heapOf(chat)).not.toContain(SAID);
    await chat.context().close();
    await page.context().close();
  });

  it('an erased session has its page for whoever administers it, and for nobody else', async () => {
    const own = await stage.told();
    await stage.client.call('DELETE', `/sessions/${own}`);
    const page = await stage.page(own, { look: '@3' });
    await page.getByRole('heading', { level: 1, name: 'Erased session' }).waitFor();
    await badge(page, 'signed').waitFor();
    const grid = page.getByRole('grid', { name: 'Log' });
    await grid.getByRole('row').filter({ hasText: 'agent_started' }).getByText('erased').first().waitFor();
    await page.getByRole('article', { name: 'User message' }).getByText('erased', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('cannot be read');
    expect(await page.getByRole('link', { name: 'Open chat' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Fork at/ }).count()).toBe(0);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    const { key } = (await stage.client.post('/api-keys', { name: 'reader', scopes: ['read'] })).json<{
      key: string;
    }>();
    const reader = await stage.console.page({ key, path: `/console/sessions/${own}` });
    await reader.getByText('does not exist, or was erased').waitFor();
    await reader.context().close();
    await page.context().close();
  });

  it('its dialog has nothing that axe finds, and nothing too wide, in both themes, at 320 and 1280 px', async () => {
    const found: string[] = [];
    const page = await stage.page(session);
    await badge(page, 'signed').waitFor();
    for (const isChanged of [false, true]) {
      if (isChanged)
        await page.route(
          '**/proof/keys',
          changed((body) => body.replace(/^log \S+/m, `log ${OTHER_KEY}`)),
        );
      await badge(page, 'signed').click();
      if (isChanged) await dialog(page).getByText('Another key').waitFor();
      await dialog(page).getByRole('button', { name: 'Check again' }).waitFor();
      for (const width of [1280, 320])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          found.push(...(await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)));
          if ((await overflowOf(page)) > 0) found.push(`at ${width} px it is too wide`);
        }
      await dialog(page).getByRole('button', { name: 'Close' }).click();
    }
    await page.context().close();
    expect(found).toEqual([]);
  });

  it('keys that are rotated while the service runs are believed, one after the other', async () => {
    const { dataDir } = stage.console.service;
    const rotate = (...words: readonly string[]) =>
      promisify(execFile)(
        resolve('node_modules/.bin/node'),
        [resolve('dist/apps/server/src/cli/main.js'), 'rotate-log-key', ...words],
        { env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir } },
      );
    const page = await stage.page(session);
    await badge(page, 'signed').waitFor();
    const believed = async (): Promise<readonly string[]> =>
      (await page.evaluate<string>(`localStorage.getItem('annals.log-keys')`)).match(/^log .*$/gm) ?? [];
    const [first] = await believed();
    for (const [words, count] of [
      [[], 2],
      [['--retire'], 1],
    ] as const) {
      await rotate(...words);
      const own = await stage.told();
      await page.goto(`${stage.console.origin}/console/sessions/${own}`);
      await badge(page, 'signed').waitFor();
      expect(await believed()).toHaveLength(count);
    }
    expect(await believed()).not.toContain(first);
    // What was sealed before is signed anew.
    await page.goto(`${stage.console.origin}/console/sessions/${session}`);
    await badge(page, 'signed').waitFor();
    await page.context().close();
  });
});
