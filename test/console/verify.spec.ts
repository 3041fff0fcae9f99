import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { headOf } from '#proof';
import { ConsoleStage, describeInBrowser, overflowOf, violationsOf } from '../support/console.js';
import { EXPORT, LINES, POLICY, RECEIPT, withHeader } from '../support/proof/example.js';
import { type Kept, verifyText } from '../support/proof/verify-text.js';

const named = (name: string, content: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});
const verdict = (page: Page) => page.getByRole('status', { name: 'Verdict' });

/** What the page says of a file, when it has read it. */
async function said(
  page: Page,
  file: string,
  { policy, receipts = [], asOf, isStrict }: Kept,
): Promise<string> {
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor();
  if (policy !== undefined) await page.getByLabel('Policy').setInputFiles(named('policy', policy));
  await page
    .getByLabel('Receipts')
    .setInputFiles(receipts.map((receipt, n) => named(`receipt-${n}`, receipt)));
  await page.getByRole('textbox', { name: 'Seen by witnesses since' }).fill(asOf ?? '');
  if (isStrict === true) await page.getByRole('switch', { name: 'Warnings count' }).check();
  await page.getByLabel('Export file').setInputFiles(named('a.annals.jsonl', file));
  await verdict(page).getByRole('heading', { level: 2 }).waitFor();
  return verdict(page).innerText();
}

describeInBrowser('the page that verifies', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
  });
  afterAll(async () => {
    expect(stage.complaints).toEqual([]);
    await stage.close();
  });

  it('says what `annals verify` says, and what it never proves', async () => {
    const page = await stage.page({ path: '/console/verify' });
    const cases: readonly (readonly [begins: string, file: string, kept: Kept])[] = [
      ['Verified: chain', EXPORT, {}],
      ['Verified: complete', EXPORT, { policy: POLICY, receipts: [RECEIPT], isStrict: true }],
      ['Failed: as_of', EXPORT, { policy: POLICY, asOf: '2025-06-15T15:08:21Z' }],
      ['Failed: commitment at revision 3', EXPORT.replace('7 = 42', '7 = 43'), { policy: POLICY }],
      ['Unusable: cut_off', EXPORT.slice(0, -20), { policy: POLICY }],
      ['Unusable: policy', EXPORT, { policy: 'nonsense\n' }],
    ];
    for (const [begins, file, kept] of cases) {
      const text = await said(page, file, kept);
      expect(text.slice(0, begins.length)).toBe(begins);
      const expected = headOf(verifyText(file, kept));
      expect(text.split('\n')[0]?.toLowerCase()).toBe(expected.toLowerCase());
      expect(text.toLowerCase()).toContain('never proved');
      expect(text).toContain('before the first checkpoint');
    }
    await page.context().close();
  });

  it('takes a file that is dropped beside its field, and asks the service for nothing', async () => {
    const page = await stage.page({ path: '/console/verify' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(EXPORT)}], 'dropped.annals.jsonl'));
      for (const type of ['dragover', 'drop'])
        document.querySelector('h1').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await verdict(page).getByText('Verified: chain').waitFor();
    await page.getByText('dropped.annals.jsonl').waitFor();
    expect(asked.filter((path) => path !== '/actions')).toEqual([]);
    await page.context().close();
  });

  it('reads a large file in slices: the page answers meanwhile', async () => {
    const line = LINES.at(-2) ?? '';
    const count = 20_000;
    const many = Array.from({ length: count }, (_, n) => line.replace('"revision":5', `"revision":${n}`));
    const file = [
      ...withHeader(LINES.slice(0, 1), { events: count, sealed: 0 }),
      ...many,
      `{"end":${count}}\n`,
    ];
    const page = await stage.page({ path: '/console/verify' });
    // From the moment at which the file is there: that it is handed over is the test's doing.
    await page.evaluate(`document.querySelector('input[type=file]').addEventListener('change', () => {
      window.longest = 0;
      const began = performance.now();
      let last = began;
      const tick = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
        if (document.querySelector('[aria-label=Verdict] h2') === null) setTimeout(tick, 0);
        else window.took = now - began;
      };
      tick();
    })`);
    await page.getByLabel('Export file').setInputFiles(named('large.annals.jsonl', file.join('')));
    await verdict(page).getByText('Failed: chain at revision 0').waitFor();
    await page.waitForFunction('window.took !== undefined', undefined, { polling: 50 });
    const { longest, took } = await page.evaluate<{ longest: number; took: number }>('({ longest, took })');
    expect(longest / took).toBeLessThan(0.3);
    await page.context().close();
  });

  it('has nothing that axe finds, and nothing too wide, in both themes, at 320 and 1280 px', async () => {
    const page = await stage.page({ path: '/console/verify' });
    const found: string[] = [];
    for (const file of [null, EXPORT, EXPORT.replace('7 = 42', '7 = 43'), 'x']) {
      if (file !== null) await said(page, file, { policy: POLICY });
      for (const width of [1280, 320])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          // The second theme is other colours, and nothing else.
          found.push(...(await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)));
          if ((await overflowOf(page)) > 0) found.push(`at ${width} px it is too wide`);
        }
    }
    await page.context().close();
    expect(found).toEqual([]);
  });
});
