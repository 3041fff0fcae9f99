import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { describeInBrowser, focusOf, untilFocused, overflowOf } from '../support/console.js';
import { SessionStage } from '../support/session-stage.js';
import { Gate, call, refusal, say } from '../support/scripted-model.js';
import { until } from '../support/until.js';

const LONG_TITLE = `How it came that ${'the lamp of order 4711 '.repeat(8)}was broken`;

const stateAt = (page: Page, at: number) =>
  page.getByRole('region', { name: `State at event ${at}`, exact: true });
const badge = (page: Page, level: string) =>
  page.getByRole('button', { name: `Verification: ${level}`, exact: true });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Verification' });
const selected = (page: Page) =>
  page.getByRole('grid', { name: 'Log' }).getByRole('row', { selected: true }).first();

/** Whether the row that is looked at, or another one, is within its log's window. */
const isInSight = (page: Page, row = '[role=row][aria-selected=true]'): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const row = document.querySelector('${row}');
    if (row === null) return false;
    const [own, box] = [row, row.closest('.scroller')].map((element) => element.getBoundingClientRect());
    return own.height > 0 && own.top >= box.top && own.bottom <= box.bottom;
  })()`);

/** Elements of which less is seen than there is, by the names of their classes. */
const cutOff = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${selector}')]
      .filter((e) => e.scrollHeight > e.clientHeight + 1)
      .map((e) => e.className + ' ' + e.textContent)`,
  );

/** Controls whose words are broken within. */
const broken = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const found = [];
    for (const element of document.querySelectorAll('main :is(button, label), .rail a')) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const text = walker.currentNode;
        for (const { index, 0: word } of text.data.matchAll(/\\S+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) found.push(word);
        }
      }
    }
    return found;
  })()`);

describeInBrowser('the page of a session in windows of all kinds', () => {
  let stage: SessionStage;
  let receiver: CallbackReceiver;
  let long: string;
  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    stage = await SessionStage.open({ EGRESS_ALLOW: '127.0.0.1' });
    long = await stage.long(2000);
  });
  afterAll(async () => {
    expect(stage.console.complaints).toEqual([]);
    await stage.close();
    await receiver.close();
  });

  it.each([320, 700, 1280])('draws no more than is seen, and what a link means: %d px', async (width) => {
    const page = await stage.page(long, { width, look: '@1000?rows=every' });
    await selected(page).waitFor();
    await until(() => isInSight(page));
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThanOrEqual(1500);
    if (width < 760) {
      // What was gone to while the log was not shown is in sight when it is.
      const view = page.getByRole('radiogroup', { name: 'View' });
      await view.getByRole('radio', { name: 'State' }).check();
      await page.getByRole('spinbutton', { name: 'Event' }).fill('200');
      await page.keyboard.press('Enter');
      await stateAt(page, 200).waitFor();
      await view.getByRole('radio', { name: 'Log' }).check();
      await until(() => isInSight(page));
    }
    await page.context().close();
  });

  it('is no wider than its window, however long its title is', async () => {
    const { session } = await stage.client.runToEnd({ message: stage.message(LONG_TITLE, say('So')) });
    for (const width of [320, 800, 1280]) {
      const page = await stage.page(session, { width });
      await page.getByRole('heading', { level: 1, name: /^How it came/ }).waitFor();
      expect([width, await overflowOf(page)]).toEqual([width, 0]);
      expect(await broken(page)).toEqual([]);
      await page.context().close();
    }
  });

  it.each([761, 1000, 1101])(
    'has a log that can be read beside its state, or the one or the other: %d px',
    async (width) => {
      const page = await stage.page(long, { width, look: '@1000?rows=every' });
      await selected(page).waitFor();
      const widths = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.grid .row .x')].map((cell) => cell.getBoundingClientRect().width)`,
      );
      expect(Math.min(...widths)).toBeGreaterThanOrEqual(90);
      const view = page.getByRole('radiogroup', { name: 'View' });
      const isOne = await view.isVisible();
      expect([width, isOne]).toEqual([width, width <= 1000]);
      expect(await stateAt(page, 1000).isVisible()).toBe(!isOne);
      if (isOne) await view.getByRole('radio', { name: 'State' }).check();
      await stateAt(page, 1000).waitFor();
      expect(await overflowOf(page)).toBe(0);
      await page.context().close();
    },
  );

  it('opens a session that failed where it failed, with all that was told since, and says whose that is', async () => {
    const told = new Gate();
    receiver.react = async (request, response, n) => {
      await told.opened;
      await answers(204)(request, response, n);
    };
    const calls = (turn: number) =>
      say(...Array.from({ length: 50 }, (_, n) => call(n, `c${turn}-${n}`, 'nothing', { n })).flat());
    const first = await stage.client.runToEnd({
      message: stage.message('Told', calls(0), calls(1), say('Done')),
      mode: 'max',
      callback: { url: receiver.url },
    });
    const { session } = first;
    const message = stage.message('Broken', refusal(400, 'no such thing'));
    await stage.client.runToEnd({ message }, { session });
    told.open();
    await receiver.ended(first.run_id);
    const page = await stage.page(session, { look: '?rows=every' });
    const grid = page.getByRole('grid', { name: 'Log' });
    const others = grid.getByRole('row').filter({ hasText: /run 1, event \d+ to / });
    await others.first().waitFor();
    // More than one page of them.
    const count = (await stage.client.all(`/deliveries?session=${session}`)).length;
    expect(count).toBeGreaterThan(200);
    const rows = (await stage.head(session)) + 1 + count;
    await until(async () => Number(await grid.getAttribute('aria-rowcount')) === rows);
    await until(() => isInSight(page));
    expect(await isInSight(page, '.row.tone-bad')).toBe(true);
    const rising = (await others.locator('.t').allInnerTexts()).map(Number);
    expect(rising.length).toBeGreaterThan(2);
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    await page.context().close();
  });

  it('grows with the text: rows, rail and buttons, and no word of a control is broken', async () => {
    const session = await stage.told();
    const page = await stage.page(session, { width: 1440 });
    await page.addInitScript(`document.documentElement.style.fontSize = '200%'`);
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    const row = selected(page);
    await until(async () => ((await row.boundingBox())?.height ?? 0) >= 56);
    await page.getByRole('button', { name: 'First event' }).click();
    await until(() => isInSight(page));
    expect(await cutOff(page, '.grid .row > *, .rail .entry')).toEqual([]);
    expect(await broken(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    const entries = await page.getByRole('navigation', { name: 'Console' }).getByRole('link').all();
    const boxes = await Promise.all(entries.map((entry) => entry.boundingBox()));
    for (const [n, box] of boxes.entries())
      if (n > 0) expect(box!.y).toBeGreaterThanOrEqual(boxes[n - 1]!.y + boxes[n - 1]!.height);
    await page.context().close();
  });

  it('can be read where colours are those of the browser', async () => {
    const session = await stage.told();
    const page = await stage.page(session);
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('button', { name: 'First event' }).click();
    const colors = await page.evaluate<string[]>(`(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.cssText = 'forced-color-adjust: none; color: HighlightText';
      const cells = document.querySelectorAll('[aria-selected=true] :is(.id, .t, .n)');
      return [...cells, probe].map((element) => getComputedStyle(element).color);
    })()`);
    expect(colors).toHaveLength(4);
    expect(new Set(colors).size).toBe(1);
    // The ground of a run's bar is that of the page: its words are legible on it.
    const pixel = `(() => {
      const canvas = document.querySelector('.lanes canvas');
      const label = document.querySelector('.lanes text[class^=run-]').getBBox();
      const scale = devicePixelRatio;
      const at = [label.x - 3, label.y + label.height / 2].map((px) => Math.round(px * scale));
      const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, -at[0], -at[1]);
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.cssText = 'forced-color-adjust: none; color: Canvas';
      const ground = getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join();
      return [[...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join(), ground];
    })()`;
    await until(async () => {
      const [found, ground] = await page.evaluate<[string, string]>(pixel);
      return found === ground;
    });
    await page.context().close();
  });

  it('keeps the focus at the ends of the log, and lets go of its field', async () => {
    const session = await stage.told();
    const last = await stage.head(session);
    const page = await stage.page(session, { look: '@1' });
    for (const [name, at] of [
      ['First event', 0],
      ['Last event', last],
      ['Previous event', last - 1],
      ['Next event', last],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      await stateAt(page, at).waitFor();
      await untilFocused(page, `button ${name}`);
    }
    expect(await page.getByRole('button', { name: 'Next event' }).isDisabled()).toBe(true);
    await page.keyboard.press('#');
    await page.keyboard.type('3');
    await page.keyboard.press('Escape');
    await until(async () => (await focusOf(page)).startsWith('body'));
    await stateAt(page, last).waitFor();
    await page.context().close();
  });

  it('has names of runs that do not lie over one another, and names of keys', async () => {
    const session = await stage.told();
    for (let n = 0; n < 12; n++) await stage.start({ message: stage.message('Queued', say('So')) }, session);
    const page = await stage.page(session);
    await page.getByText('14 runs').waitFor();
    const labels = await page.evaluate<{ readonly x: number; readonly end: number }[]>(
      `[...document.querySelectorAll('.lanes text[class^=run-]')].map((text) => {
        const { x, width } = text.getBBox();
        return { x, end: x + width };
      })`,
    );
    expect(labels.length).toBeGreaterThan(1);
    for (const [n, { x }] of labels.entries()) if (n > 0) expect(x).toBeGreaterThan(labels[n - 1]!.end);
    // The words at the playhead are within their box, whatever the event is called.
    await page.getByRole('slider', { name: 'Position' }).focus();
    for (let n = 0; n < 12; n++) {
      await page.keyboard.press('ArrowLeft');
      const [box, words] = await page.evaluate<[number, number]>(
        `['rect', 'text'].map((name) => document.querySelector('.playhead ' + name).getBBox().width)`,
      );
      expect([n, box - words]).toEqual([n, expect.closeTo(18, 0)]);
    }
    await page.getByText('request by first admin key').first().waitFor();
    await page.getByRole('tab', { name: 'Run' }).click();
    await page.getByRole('definition').getByText('first admin key, request').waitFor();
    await page.context().close();
  });

  it('has the focus in the dialog of its verification, by key and by button, while it checks, and gives it back', async () => {
    const page = await stage.page(await stage.told());
    await badge(page, 'signed').waitFor();
    await page.route('**/export?*', () => undefined);
    for (const open of [() => badge(page, 'signed').press('Enter'), () => page.keyboard.press('v')]) {
      await open();
      await dialog(page).getByRole('button', { name: 'Checking…' }).waitFor();
      await untilFocused(page, 'button Checking…');
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await untilFocused(page, 'button Verification: signed');
    }
    await page.context().close();
  });
});
