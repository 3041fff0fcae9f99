import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../support/console.js';

/** Git does not see it. */
const FOLDER = 'coverage/console';

/** Pictures of the main pages in both themes, to be looked at. */
describeInBrowser('the console in pictures', () => {
  let stage: ConsoleStage;
  let places: Readonly<Record<string, string>>;
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    stage = await ConsoleStage.open();
    const { session, run_id: run } = await stage.client.runToEnd({
      message: 'Refund for order 4711: what is 89 - 12?',
      streaming_tokens: true,
    });
    const tools = [{ name: 'get_order', description: 'Looks an order up', parameters: { type: 'object' } }];
    await stage.client.post(
      `/?session=${session}`,
      { message: 'Use get_order for order 4711', tools },
      { headers: { accept: 'application/json' } },
    );
    places = {
      chat: `/console/chat/${session}`,
      sessions: '/console/sessions',
      session: `/console/sessions/${session}`,
      run: `/console/runs/${run}`,
      approvals: '/console/approvals',
      deliveries: '/console/deliveries',
      usage: '/console/usage',
      verify: '/console/verify',
      system: '/console/system',
    };
  });
  afterAll(() => stage.close());

  it.each(['light', 'dark'] as const)('%s', async (theme) => {
    const page = await stage.page({ theme, width: 1440 });
    for (const [name, path] of Object.entries(places)) {
      await stage.go(page, path);
      const file = join(FOLDER, `${name}-${theme}.png`);
      await page.screenshot({ path: file });
      // An empty page of this size is a few KB.
      expect([name, statSync(file).size > 20_000]).toEqual([name, true]);
    }
    await page.context().close();
  });

  it('complained of nothing', () => expect(stage.complaints).toEqual([]));
});
