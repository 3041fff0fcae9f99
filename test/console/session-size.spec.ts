import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/console.js';
import { median } from '../support/median.js';
import { SessionStage } from '../support/session-stage.js';

const SEEKS = 15;

/** What a page of a session takes: nodes, ms of a seek, ms from asking for the log until all of its rows are there. */
interface Taken {
  readonly events: number;
  readonly nodes: number;
  readonly seekMs: number;
  readonly allMs: number;
  /** From the same moment until its proof is read. */
  readonly verifiedMs: number;
}

/** Seeks to places all over the log by the slider's own event, each until the state shows it. */
const seekMs = (page: Page, last: number): Promise<number[]> =>
  page.evaluate<number[]>(`(async () => {
    const field = document.querySelector('input[type=number]');
    const taken = [];
    for (let n = 1; n <= ${SEEKS}; n++) {
      const to = Math.round((${last} * (n * 7 % ${SEEKS})) / ${SEEKS});
      const since = performance.now();
      field.value = String(to);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
      while (document.querySelector('section[aria-label="State at event ' + to + '"]') === null)
        await new Promise((next) => requestAnimationFrame(next));
      taken.push(performance.now() - since);
    }
    return taken;
  })()`);

describeInBrowser('the page of a long session', () => {
  let stage: SessionStage;
  beforeAll(async () => {
    stage = await SessionStage.open();
  });
  afterAll(() => stage.close());

  async function taken(events: number): Promise<Taken> {
    const session = await stage.long(events);
    const last = await stage.head(session);
    const page = await stage.page(session, { look: '?rows=every' });
    const since = performance.now();
    await page.reload();
    await page.locator(`[role=grid][aria-rowcount="${last + 1}"]`).waitFor();
    const allMs = performance.now() - since;
    await page.getByRole('button', { name: 'Verification: signed' }).waitFor();
    const verifiedMs = performance.now() - since;
    await page.getByRole('region', { name: `State at event ${last}` }).waitFor();
    const nodes = await page.evaluate<number>('document.querySelectorAll("*").length');
    const seeks = await seekMs(page, last);
    await page.context().close();
    return { events: last + 1, nodes, seekMs: median(seeks), allMs, verifiedMs };
  }

  it('has no more nodes for more events, and takes no longer than they do', async () => {
    const small = await taken(1000);
    const large = await taken(10_000);
    expect(large.events / small.events).toBeGreaterThan(8);
    expect(large.nodes).toBeLessThanOrEqual(1500);
    expect(large.nodes / small.nodes).toBeLessThanOrEqual(2);
    expect(large.seekMs / small.seekMs).toBeLessThanOrEqual(6);
    expect(large.allMs / small.allMs).toBeLessThanOrEqual(15);
    expect(large.verifiedMs / small.verifiedMs).toBeLessThanOrEqual(15);
  });
});
