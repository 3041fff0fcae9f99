import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/console.js';
import type { Message } from '../support/service-client.js';
import { say } from '../support/scripted-model.js';
import { SessionStage } from '../support/session-stage.js';

const ARTICLES: Readonly<Record<string, string>> = {
  user_message: 'User message',
  agent_thinking: 'Agent thinking',
  agent_response: 'Agent response',
  agent_tool_use: 'Tool call',
};

interface Shown {
  readonly id: string;
  readonly data: { readonly type: string; readonly content: string; readonly through: string };
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
}

/** Names and texts of the articles that the history knows, too. */
const articlesOf = (page: Page): Promise<readonly (readonly [string, string])[]> =>
  page.evaluate<[string, string][]>(
    `[...document.querySelectorAll('[role=tabpanel] article')].map((a) => [a.getAttribute('aria-label'), a.textContent])`,
  );

async function seek(page: Page, at: number): Promise<void> {
  await page.getByRole('spinbutton', { name: 'Event' }).fill(String(at));
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: `State at event ${at}`, exact: true }).waitFor();
}

describeInBrowser('the state of a session at an event', () => {
  let stage: SessionStage;
  let session: string;
  let last: number;
  beforeAll(async () => {
    stage = await SessionStage.open({ CONTEXT_FLASH: '1000' });
    session = await stage.told();
    const { headers } = await stage.client.get(`/sessions/${session}/log?limit=1`, {
      headers: { accept: 'application/json' },
    });
    last = Number(headers['annals-head']);
  });
  afterAll(() => stage.close());

  it('is, as conversation and as context, what the service answers as of that event', async () => {
    const page = await stage.page(session);
    for (let at = 0; at <= last; at++) {
      await seek(page, at);
      await page.getByRole('tab', { name: 'Conversation' }).click();
      const history = (await stage.client.post(`/get-messages?session=${session}&at=${at}`)).json<
        readonly Message[]
      >();
      const shown = (await articlesOf(page)).filter(([name]) =>
        Object.values(ARTICLES).some((known) => name.startsWith(known)),
      );
      expect([at, shown.length]).toEqual([at, history.length]);
      for (const [n, { type, content }] of history.entries()) {
        const [name, text] = shown[n]!;
        expect(name.startsWith(ARTICLES[type]!)).toBe(true);
        expect(text).toContain(type === 'agent_tool_use' ? '"order":"471' : content);
      }
      await page.getByRole('tab', { name: 'Context' }).click();
      const { messages } = (await stage.client.get(`/sessions/${session}/context?at=${at}`)).json<{
        readonly messages: readonly ChatMessage[];
      }>();
      const items = await page
        .getByRole('list', { name: 'Model context' })
        .getByRole('listitem')
        .allTextContents();
      expect([at, items.length]).toEqual([at, messages.length]);
      for (const [n, { role, content }] of messages.entries()) {
        expect(items[n]!.startsWith(role)).toBe(true);
        expect(items[n]).toContain(content ?? '');
      }
    }
  });

  it('tells what a compaction has left of the context, and leads to what it stands for', async () => {
    let compacted = '';
    for (let n = 0; n < 6; n++) {
      const message = stage.message(`Long ${n}`, say(`answer ${n} `.padEnd(800, 'la ')));
      const options = compacted === '' ? {} : { session: compacted };
      compacted = (await stage.client.runToEnd({ message, mode: 'flash' }, options)).session;
    }
    const shown = await stage.client.get(`/sessions/${compacted}/events?limit=200`, {
      headers: { accept: 'application/json' },
    });
    const { items } = shown.json<{ readonly items: readonly Shown[] }>();
    const { id, data } = items.findLast(({ data: { type } }) => type === 'agent_compacted')!;
    const page = await stage.page(compacted);
    await seek(page, Number(id));
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.getByText(/^What was said from 3 to \d+ is told as a summary\.$/).waitFor();
    const [first] = await page
      .getByRole('list', { name: 'Model context' })
      .getByRole('listitem')
      .allTextContents();
    expect(first).toContain(data.content);
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page
      .getByText(/^From here on the agent is told a summary/)
      .last()
      .waitFor();
    await page.getByRole('tab', { name: 'Context' }).click();
    await page
      .getByRole('button', { name: `Event ${data.through}`, exact: true })
      .first()
      .click();
    await page.getByRole('region', { name: `State at event ${data.through}`, exact: true }).waitFor();
    await seek(page, Number(id) - 1);
    expect(await page.getByText('is told as a summary').count()).toBe(0);
  });

  it('finds what stands in a long text once it was read, and says how many were not', async () => {
    const said = say('Where is the needle? ', 'In the hay. '.repeat(10_000));
    const { session: long } = await stage.client.runToEnd({ message: stage.message('Hay', said) });
    const page = await stage.page(long, { look: '?q=needle&tab=event' });
    const matches = page.getByRole('status', { name: 'Matches' });
    await matches.getByText('0 of 0', { exact: true }).waitFor();
    await page.getByText('Not searched: 1 long text', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page.getByText('Where is the needle?').first().waitFor();
    await matches.getByText(/^0 of [1-9]/).waitFor();
    expect(await page.getByText(/^Not searched/).count()).toBe(0);
    await page.getByRole('button', { name: 'Next match' }).click();
    await matches.getByText(/^1 of [1-9]/).waitFor();
  });
});
