import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ASKING, ChatStage } from '../support/chat-stage.js';
import { coveredBy, describeInBrowser, untilFocused, overflowOf, violationsOf } from '../support/console.js';
import { Gate, before, call, say, thinking } from '../support/scripted-turn.js';
import { until } from '../support/until.js';

const article = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const status = (page: Page) => page.getByRole('status', { name: 'Run status' });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const sessionOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;

describeInBrowser('the chat', () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await ChatStage.open();
  });
  afterAll(() => stage.close());

  const write = async (page: Page, text: string): Promise<void> => {
    await message(page).fill(text);
    await page.keyboard.press('Enter');
  };
  /** A chat whose run waits for a decision. */
  const asking = async (text: string, decided = 'done'): Promise<{ page: Page; session: string }> => {
    stage.book.on(
      text,
      say(...call(0, 'c0', 'run_workflow', { workflow_id: 'refund', input: '89.00' })),
      say(decided),
    );
    const answer = await stage.console.client.post('/', { message: text, background: true, ...ASKING });
    const { session } = answer.json<{ session: string }>();
    const page = await stage.chat(session);
    await article(page, 'Approval run_workflow').waitFor();
    return { page, session };
  };

  it('begins with a message that is already written, which one key press sends; its answer comes in pieces', async () => {
    const gate = new Gate();
    const page = await stage.chat();
    await until(async () => (await message(page).inputValue()).includes('introduce yourself'));
    const greeting = await message(page).inputValue();
    stage.book.on(
      greeting,
      say(...thinking('Who am I?'), 'I am **the agent**. ', 'I do ', before(gate), 'things.'),
    );
    await message(page).focus();
    await page.keyboard.press('Enter');
    await article(page, 'User message').waitFor();
    await gate.reached;
    await article(page, 'Agent response').getByText('I am the agent. I do').waitFor();
    expect(await status(page).textContent()).toMatch(/^Running/);
    await page.getByRole('status', { name: 'Announcements' }).getByText('I am **the agent**.').waitFor();
    gate.open();
    await status(page).getByText('Completed').waitFor();
    expect(await article(page, 'Agent response').locator('strong').textContent()).toBe('the agent');
    expect(await article(page, 'Agent thinking').textContent()).toContain('Who am I?');
    await untilFocused(page, 'textarea Message');
    expect(await message(page).inputValue()).toBe('');
    await page.keyboard.press('ArrowUp');
    expect(await message(page).inputValue()).toBe(greeting);
    const log = page.getByRole('link', { name: 'Open session log' });
    expect(await log.getAttribute('href')).toBe(`/console/sessions/${sessionOf(page)}`);
    await page.context().close();
  });

  it('sends a message whose answer was lost again, and it counts once', async () => {
    const page = await stage.chat();
    let tries = 0;
    await page.route(`${stage.console.origin}/`, async (route) => {
      tries += 1;
      if (tries > 1) return route.continue();
      // The service takes it, and nobody hears of that.
      await route.fetch();
      await route.abort();
    });
    await write(page, 'only once');
    await article(page, 'Agent response').waitFor();
    expect(tries).toBe(2);
    const { items } = (await stage.console.client.get('/sessions')).json<{ items: { title: string }[] }>();
    expect(items.filter(({ title }) => title === 'only once')).toHaveLength(1);
    expect(await article(page, 'User message').count()).toBe(1);
    await page.context().close();
  });

  it('has what is wrong with a request at its field, as a form and as JSON', async () => {
    const page = await stage.chat();
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('textbox', { name: 'Callback URL' }).fill('nowhere');
    await write(page, 'hello');
    const error = page
      .getByRole('form', { name: 'Options' })
      .getByText(/URL|address|http/i)
      .last();
    await error.waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByRole('textbox', { name: 'Request as JSON' });
    expect(JSON.parse(await json.inputValue())).toMatchObject({
      message: 'hello',
      callback: { url: 'nowhere' },
    });
    await json.fill('{"message":"hello there","mode":"flash","background":true}');
    expect(await message(page).inputValue()).toBe('hello there');
    await page.getByRole('tab', { name: 'Form' }).click();
    await expect(page.getByRole('combobox', { name: 'Mode' }).inputValue()).resolves.toBe('flash');
    await page.getByRole('button', { name: 'Send' }).click();
    await article(page, 'Agent response').waitFor();
    const run = (await stage.console.client.get(`/runs?session=${sessionOf(page)}`)).json<{
      items: { mode: string }[];
    }>();
    expect(run.items[0]?.mode).toBe('flash');
    // The tab remembers it; of what is not in the form it keeps nothing.
    await page.reload();
    await page.getByRole('button', { name: 'Options' }).click();
    await expect(page.getByRole('combobox', { name: 'Mode' }).inputValue()).resolves.toBe('flash');
    await page.context().close();
  });

  it('approves in place, changes what is called, and denies with a reason', async () => {
    const { page } = await asking('approve it');
    expect(await article(page, 'Tool call run_workflow').count()).toBe(1);
    await page.getByRole('button', { name: 'Change input' }).click();
    await page.getByRole('group', { name: 'Input' }).getByLabel('input', { exact: true }).fill('79.00');
    await page.getByRole('list', { name: 'Changes' }).getByText('79.00').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('status', { name: 'Decision' })
      .getByText(/^Approved by .+ at /)
      .waitFor();
    await status(page).getByText('Completed').waitFor();
    expect(await article(page, 'Tool call run_workflow').textContent()).toContain('completed');
    await page.context().close();

    const { page: other, session } = await asking('deny it');
    await other.getByRole('button', { name: 'Deny' }).click();
    const dialog = other.getByRole('dialog', { name: 'Deny' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('too much');
    await dialog.getByRole('button', { name: 'Deny call' }).click();
    await other.getByRole('status', { name: 'Decision' }).getByText('Denied by').waitFor();
    await status(other).getByText('Completed').waitFor();
    const { items } = (await stage.console.client.get(`/actions?session=${session}`)).json<{
      items: { decision: string; decided: object }[];
    }>();
    expect(items).toMatchObject([{ decision: 'deny', decided: { reason: 'too much' } }]);
    await other.context().close();
  });

  it('queues, steers and cancels beside a run that is under way', async () => {
    const { page } = await asking('keep waiting');
    await page.getByRole('button', { name: 'Queue' }).waitFor();
    await write(page, 'for later');
    await page.getByText('Queued', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'When busy' }).selectOption('Steer');
    await page.getByRole('button', { name: 'Steer' }).waitFor();
    await write(page, 'rather the other one');
    await page.getByText('Steers at the next turn').waitFor();
    await message(page).press('Escape');
    await untilFocused(page, 'button Cancel run');
    await page.keyboard.press('Enter');
    await page.getByText('The run was cancelled.').waitFor();
    await article(page, 'Agent response').getByText('You said: for later').waitFor();
    await page.context().close();
  });

  it('goes on by itself when the service was killed, with what was being written', async () => {
    const page = await stage.chat();
    await write(page, 'before the kill');
    await article(page, 'Agent response').waitFor();
    await message(page).fill('half a thought');
    await stage.console.service.kill();
    await page.getByText(/^Reconnecting, last event \d+$/).waitFor();
    for (const width of [320, 800, 1280, 1600]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await coveredBy(page, '[aria-label=Connection]')]).toEqual([width, []]);
    }
    const session = sessionOf(page);
    await stage.console.service.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await message(page).inputValue()).toBe('half a thought');
    await stage.console.client.post(`/?session=${session}`, { message: 'and after', background: true });
    const told = await stage.console.client.post(`/get-messages?session=${session}`);
    const messages = told.json<{ type: string; content: string }[]>();
    const shown = page.getByRole('article', { name: /^(User message|Agent response)$/ });
    await until(
      async () => (await shown.count()) === messages.length,
      () => messages,
    );
    await page.context().close();
  });

  it('shows the newest fifty, however many there are, and earlier ones when they are asked for', async () => {
    const list = 'say it';
    stage.book.on(list, say('- *a* and `b`\n'.repeat(40)));
    const { client } = stage.console;
    const { session } = await client.runToEnd({ message: 'the very first' });
    for (let n = 0; n < 30; n += 1) await client.runToEnd({ message: list }, { session });
    const page = await stage.chat(session);
    const articles = page.getByRole('log', { name: 'Conversation' }).getByRole('article');
    await articles.first().waitFor();
    await until(async () => (await articles.count()) === 50);
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(1500);
    await page.getByRole('button', { name: 'Show earlier messages' }).click();
    await articles.getByText('the very first', { exact: true }).waitFor();
    expect(await articles.count()).toBe(62);
    await page.context().close();
  });

  it('needs no more than its window, and nothing is wrong with it for those who cannot see it', async () => {
    const { page, session } = await asking('look at it');
    await page.getByRole('button', { name: 'Options' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.context().close();
    for (const theme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        const narrow = await stage.chat(session, { theme, width });
        await article(narrow, 'Approval run_workflow').waitFor();
        expect(await violationsOf(narrow)).toEqual([]);
        expect(await overflowOf(narrow)).toBe(0);
        await narrow.context().close();
      }
    expect(stage.console.complaints).toEqual([]);
  });

  it('has nothing over what is written and sent, in windows of any width', async () => {
    const { page } = await asking('nothing over me');
    for (const width of [320, 390, 800, 1024, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      const connection = await page.getByRole('status', { name: 'Connection' }).boundingBox();
      for (const name of ['Queue', 'Options', 'Cancel run']) {
        const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
        const isApart =
          box.x >= connection!.x + connection!.width ||
          box.x + box.width <= connection!.x ||
          box.y >= connection!.y + connection!.height ||
          box.y + box.height <= connection!.y;
        expect([width, name, isApart]).toEqual([width, name, true]);
      }
    }
    await page.context().close();
  });
});
