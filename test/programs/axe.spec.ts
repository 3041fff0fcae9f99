import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser, overflowOf, violationsOf } from '../support/console.js';

const PAGES = [
  '/console/chat',
  '/console/sessions',
  '/console/sessions?status=cancelled',
  '/console/approvals',
  '/console/runs',
  '/console/deliveries',
  '/console/usage',
  '/console/tasks',
  '/console/datastores',
  '/console/keys',
  '/console/system',
  '/console/nothing/here',
];
const DOORS = ['/console/sign-in', '/console/welcome#a-token'];
const LOOKS = (['light', 'dark'] as const).flatMap((theme) =>
  [320, 1280].map((width) => [theme, width] as const),
);

describeInBrowser('pages of the console', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open();
    await stage.client.runToEnd({ message: 'Refund for order 4711' });
    await stage.client.post('/', {
      message: 'x'.repeat(300),
      background: true,
      mcp_servers: [{ serverName: 'shop', serverUrl: 'https://shop.invalid/mcp', required: true }],
    });
  });
  afterAll(() => stage.close());

  const look = async (page: Page): Promise<string[]> => {
    const found: string[] = [];
    for (const [theme, width] of LOOKS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      // The second theme is other colours, and nothing else.
      const rules = theme === 'dark' ? ['color-contrast', 'link-in-text-block'] : undefined;
      found.push(...(await violationsOf(page, rules)).map((line) => `${theme}, ${width} px: ${line}`));
      if ((await overflowOf(page)) > 0) found.push(`${theme}, ${width} px: wider than its window`);
    }
    return found;
  };

  it.each([...DOORS, ...PAGES])(
    '%s can be used by everybody in both themes, at 320 and 1280 px',
    async (path) => {
      const page = await stage.page({ path, ...(DOORS.includes(path) ? { key: null } : {}) });
      expect(await look(page)).toEqual([]);
      await page.context().close();
    },
  );

  it.each(LOOKS)(
    'so are the list of keys and what a narrow page has behind More: %s, %d px',
    async (theme, width) => {
      const page = await stage.page({ theme, width, path: '/console/runs' });
      if (width < 761) await page.getByRole('button', { name: 'More' }).click();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    },
  );

  it('can be read with text twice as large', async () => {
    const page = await stage.page({ width: 1280 });
    const found: string[] = [];
    for (const path of PAGES) {
      await stage.go(page, path);
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      if ((await overflowOf(page)) > 0) found.push(path);
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  it('complained of nothing', () => expect(stage.complaints).toEqual([]));
});
