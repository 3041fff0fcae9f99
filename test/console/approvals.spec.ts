import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ASKING, ChatStage } from '../support/chat-stage.js';
import { describeInBrowser, focusOf, untilFocused, overflowOf, violationsOf } from '../support/console.js';
import { paidTurn } from '../support/money-stage.js';
import { call, say } from '../support/scripted-turn.js';
import { until } from '../support/until.js';

interface Action {
  readonly action_id: string;
  readonly session: string;
  readonly status: string;
  readonly decision: string | null;
  readonly decided: Readonly<Record<string, unknown>> | null;
}

const TOOL = {
  name: 'look_up',
  description: 'Looks a word up',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};
const card = (page: Page, name: string) => page.getByRole('article', { name });
const decision = (page: Page, name: string) => card(page, name).getByRole('status', { name: 'Decision' });

describeInBrowser('the approvals', () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await ChatStage.open();
  });
  afterAll(() => stage.close());

  const asked = async (title: string, more: object = ASKING): Promise<Action> => {
    const [tool, input] =
      'tools' in more
        ? ['look_up', { word: title }]
        : ['run_workflow', { workflow_id: 'refund', input: title }];
    stage.book.on(title, say('I would do it.', ...call(0, 'c0', tool, input)), say('done'));
    const headers = { accept: 'application/json' };
    const answer = await stage.console.client.post('/', { message: title, ...more }, { headers });
    return answer.json<{ actions: [Action] }>().actions[0];
  };
  const actionNow = async (id: string): Promise<Action> =>
    (await stage.console.client.get(`/actions/${id}`)).json<Action>();

  it('are read and decided with the keyboard alone, and a key press by itself decides nothing', async () => {
    const first = await asked('first one', { ...ASKING, approvals: { default: 'ask', expires_s: 600 } });
    const second = await asked('second one');
    const page = await stage.console.page({ path: '/console/approvals' });
    await card(page, 'run_workflow in second one').waitFor();
    expect(await page.getByRole('article').first().getAttribute('aria-label')).toBe(
      'run_workflow in first one',
    );
    await card(page, 'run_workflow in first one').getByText('I would do it.').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await untilFocused(page, 'button Approve');
    expect((await actionNow(second.action_id)).status).toBe('open');
    await page.keyboard.press('Enter');
    await decision(page, 'second one')
      .getByText(/^Approved by .+ at \d\d:/)
      .waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('d');
    await untilFocused(page, 'button Deny');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Deny' }).waitFor();
    expect(await focusOf(page)).toMatch(/Reason$/);
    await page.keyboard.press('Escape');
    await untilFocused(page, 'button Deny');
    expect((await actionNow(first.action_id)).status).toBe('open');
    await stage.console.client.post(`/actions/${first.action_id}/resolve`, {
      decision: 'deny',
      reason: 'elsewhere',
    });
    // The card keeps its place, and says who.
    await decision(page, 'first one').getByText('Denied by').waitFor();
    expect(await decision(page, 'first one').textContent()).toContain('elsewhere');
    expect(await page.getByRole('article').first().getAttribute('aria-label')).toBe(
      'run_workflow in first one',
    );
    await page
      .getByRole('radiogroup', { name: 'Show' })
      .getByRole('radio', { name: 'Resolved' })
      .check({ force: true });
    await card(page, 'run_workflow in first one').waitFor();
    expect(page.url()).toBe(`${stage.console.origin}/console/approvals?status=resolved`);
    await page.context().close();
  });

  it('have a page each, with two buttons, and the input that was changed is what is executed', async () => {
    const { action_id: id, session } = await asked('its own page');
    const page = await stage.console.page({ path: `/console/approvals/${id}` });
    await page.getByRole('heading', { level: 1, name: 'run_workflow' }).waitFor();
    await page.getByRole('button', { name: 'Change input' }).click();
    await page
      .getByRole('group', { name: 'Input' })
      .getByLabel('input', { exact: true })
      .fill('something smaller');
    expect(await page.getByRole('list', { name: 'Changes' }).textContent()).toContain('something smaller');
    await page.getByRole('button', { name: 'Approve' }).click();
    await decision(page, 'its own page').getByText('Approved by').waitFor();
    expect(await actionNow(id)).toMatchObject({
      decision: 'approve',
      decided: { input: { workflow_id: 'refund', input: 'something smaller' } },
    });
    // What is told of it is what was carried out, and that it is not what was asked for.
    const resolved = await stage.console.page({ path: '/console/approvals?status=resolved' });
    const chat = await stage.chat(session);
    const told = [
      card(page, 'run_workflow in its own page'),
      card(resolved, 'run_workflow in its own page'),
      chat.getByRole('article', { name: 'Approval run_workflow' }),
    ];
    for (const one of told) {
      await one.getByText('Input changed', { exact: true }).waitFor();
      await one.getByRole('definition').getByText('something smaller', { exact: true }).waitFor();
      const changes = one.getByRole('list', { name: 'Changes' });
      await changes.getByText('"its own page"').waitFor();
      await changes.getByText('"something smaller"').waitFor();
    }
    for (const one of [page, resolved, chat]) await one.context().close();
  });

  it('say until when they can be decided, and where the key that asked may not', async () => {
    await asked('on its own', ASKING);
    const { action_id: id } = await asked('by another', {
      ...ASKING,
      approvals: { default: 'ask', by: 'another_key' },
    });
    const page = await stage.console.page({ path: '/console/approvals' });
    const sentence = 'Not by a key that started or steered the run.';
    await card(page, 'run_workflow in by another').getByText(sentence).waitFor();
    expect(await card(page, 'run_workflow in on its own').getByText(sentence).count()).toBe(0);
    const { expires_at: until } = (await stage.console.client.get(`/actions/${id}`)).json<{
      expires_at: string;
    }>();
    await page.getByRole('switch', { name: 'Times in UTC' }).check();
    const time = card(page, 'run_workflow in by another')
      .locator('time[datetime]')
      .filter({ hasText: 'expires' });
    expect(await time.textContent()).toContain(`, ${until.slice(0, 16).replace('T', ' ')}`);
    await page.context().close();
  });

  it('answer the calls that the caller carries out', async () => {
    const { action_id: id } = await asked('a word', { tools: [TOOL] });
    const page = await stage.console.page({ path: `/console/approvals/${id}` });
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('textbox', { name: 'Result' }).fill('{"means":"a lamp"}');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await decision(page, 'a word').getByText('Answered by').waitFor();
    expect((await actionNow(id)).decision).toBe('answer');
    await card(page, 'a word').getByText('a lamp').waitFor();
    // In the list it is read by whoever wants to know.
    const resolved = await stage.console.page({ path: '/console/approvals?status=resolved' });
    await card(resolved, 'a word').getByText('What was answered').click();
    await card(resolved, 'a word').getByText('a lamp').waitFor();
    await resolved.context().close();
    await page.context().close();
  });

  it('raise what a run may cost, to more than is spent', async () => {
    const message = stage.book.on(
      'costs too much',
      paidTurn('one', ...call(0, 'c0', 'look_up', { word: 'a' })),
      say('done'),
    );
    const { client } = stage.console;
    const { run_id: run } = (
      await client.post('/', { message, tools: [TOOL], budget: '0.0001', background: true })
    ).json<{
      run_id: string;
    }>();
    const open = async (): Promise<(Action & { kind: string })[]> =>
      (await client.get(`/actions?run=${run}&status=open`)).json<{ items: (Action & { kind: string })[] }>()
        .items;
    await until(async () => (await open()).length > 0);
    const [look] = await open();
    await client.post(`/actions/${look!.action_id}/resolve`, { decision: 'answer', result: 'x' });
    await until(async () => (await open())[0]?.kind === 'budget');
    const [action] = await open();
    const page = await stage.console.page({ path: `/console/approvals/${action!.action_id}` });
    const raise = async (limit: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'New limit' }).fill(limit);
      await page.getByRole('button', { name: 'Raise', exact: true }).click();
    };
    await page.getByRole('button', { name: 'Raise budget' }).click();
    await raise('0.0002');
    await page.getByRole('alert').waitFor();
    await raise('0.5');
    await page.getByRole('status', { name: 'Decision' }).getByText('Raised by').waitFor();
    await page.getByRole('term').filter({ hasText: 'new limit' }).waitFor();
    await page
      .getByRole('definition')
      .filter({ hasText: /^\$0\.5$/ })
      .waitFor();
    expect(await actionNow(action!.action_id)).toMatchObject({
      decision: 'raise',
      decided: { budget: '0.5' },
    });
    await page.context().close();
  });

  it('leave the screen with the session that they are of, those that were decided, too', async () => {
    const open = await asked('erased while it is open');
    const done = await asked('erased when it was decided');
    const page = await stage.console.page({ path: '/console/approvals' });
    const alone = await stage.console.page({ path: `/console/approvals/${done.action_id}` });
    await card(page, 'erased while it is open').getByText('I would do it.').waitFor();
    for (const one of [page, alone]) await card(one, 'erased when it was decided').waitFor();
    await alone.getByRole('button', { name: 'Approve' }).click();
    for (const one of [page, alone])
      await decision(one, 'erased when it was decided').getByText('Approved by').waitFor();
    for (const { session } of [open, done]) await stage.console.client.call('DELETE', `/sessions/${session}`);
    await card(page, 'erased while it is open').waitFor({ state: 'detached' });
    await card(page, 'erased when it was decided').waitFor({ state: 'detached' });
    await alone.getByRole('heading', { level: 1, name: 'No such approval' }).waitFor();
    for (const one of [page, alone]) {
      expect(await one.content()).not.toContain('erased when it was decided');
      await one.context().close();
    }
  });

  it('are decided by a key that may do nothing else, and say so where a key may not decide', async () => {
    const { action_id: id } = await asked('only approve');
    const keyOf = async (scope: string): Promise<string> =>
      String((await stage.console.client.post('/api-keys', { name: scope, scopes: [scope] })).json()['key']);
    const reader = await stage.console.page({ key: await keyOf('read'), path: `/console/approvals/${id}` });
    await reader.getByText('Your key may not decide on this.').waitFor();
    const page = await stage.console.page({ key: await keyOf('approve'), path: `/console/approvals/${id}` });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status', { name: 'Decision' }).getByText('Approved by approve').waitFor();
    await decision(reader, 'only approve').getByText('Approved by').waitFor();
    await reader.context().close();
    await page.context().close();
  });

  it('fit a narrow window, and nothing is wrong with them for those who cannot see them', async () => {
    const { action_id: id } = await asked('looked at');
    for (const theme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        const page = await stage.console.page({ theme, width, path: '/console/approvals' });
        await card(page, 'looked at').getByRole('button', { name: 'Change input' }).click();
        expect(await violationsOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        await stage.console.go(page, `/console/approvals/${id}`);
        expect(await violationsOf(page)).toEqual([]);
        await page.context().close();
      }
    expect(stage.console.complaints).toEqual([]);
  });
});
