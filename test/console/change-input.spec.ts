import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChatStage } from '../support/chat-stage.js';
import { describeInBrowser } from '../support/console.js';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { call, say } from '../support/scripted-turn.js';
import { until } from '../support/until.js';

/** What a tool server says of a tool whose input is more than texts. */
const SHIP = {
  name: 'ship',
  inputSchema: {
    type: 'object' as const,
    properties: {
      order: { type: 'string', description: 'Its number.' },
      speed: { enum: ['slow', 'fast'], description: 'Fast is dearer.' },
      insured: { type: 'boolean' },
      gift: { type: 'boolean' },
      note: { type: 'string' },
      weight: { type: 'number' },
    },
    required: ['order', 'speed'],
  },
};

describeInBrowser('the input of a call that is changed', () => {
  let stage: ChatStage;
  let shop: McpFixture;
  const shipped: unknown[] = [];
  beforeAll(async () => {
    const run = ({ args }: { readonly args: unknown }) => {
      shipped.push(args);
      return { content: [{ type: 'text' as const, text: 'shipped' }] };
    };
    shop = await McpFixture.start({ tools: [{ ...SHIP, run }] });
    stage = await ChatStage.open({ EGRESS_ALLOW: '127.0.0.1' });
  });
  afterAll(async () => {
    await stage.close();
    await shop.close();
  });

  it('is a form of the tool’s schema: what can be chosen is chosen, what may be left out is', async () => {
    const input = { order: '4711', speed: 'slow', insured: true };
    stage.book.on('a parcel', say(...call(0, 'c0', 'ship', input)), say('done'));
    const servers = [{ serverName: 'shop', serverUrl: shop.url }];
    const body = { message: 'a parcel', mcp_servers: servers, approvals: { default: 'ask' } };
    const headers = { accept: 'application/json' };
    const { actions } = (await stage.console.client.post('/', body, { headers })).json<{
      actions: [{ action_id: string }];
    }>();
    const page = await stage.console.page({ path: `/console/approvals/${actions[0].action_id}` });
    await page.getByRole('button', { name: 'Change input' }).click();
    const form = page.getByRole('group', { name: 'Input' });
    await form.getByRole('combobox', { name: 'speed' }).waitFor();
    const choices = (name: string) =>
      form.getByRole('combobox', { name }).getByRole('option').allTextContents();
    expect(await choices('speed')).toEqual(['slow', 'fast']);
    expect(await choices('insured')).toEqual(['Left out', 'true', 'false']);
    await form.getByText('Fast is dearer.', { exact: true }).waitFor();
    expect(await form.locator('label').allTextContents()).toEqual([
      'order',
      'speed',
      'insured',
      'gift left out',
      'note left out',
      'weight left out',
    ]);
    await form.getByRole('combobox', { name: 'speed' }).selectOption('fast');
    await form.getByRole('combobox', { name: 'insured' }).selectOption('Left out');
    await form.getByRole('combobox', { name: 'gift' }).selectOption('true');
    await form.getByRole('textbox', { name: 'weight' }).fill('1.50');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status', { name: 'Decision' }).getByText('Approved by').waitFor();
    await until(() => Promise.resolve(shipped.length > 0));
    expect(shipped).toEqual([{ order: '4711', speed: 'fast', gift: true, weight: 1.5 }]);
    await page.context().close();
  });
});
