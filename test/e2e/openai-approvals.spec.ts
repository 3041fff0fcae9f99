import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Response, ResponseInput, Tool } from 'openai/resources/responses/responses';
import { McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { call, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const TOKEN = 'a-very-secret-token';

let stage: Stage;
let client: ServiceClient;
let openai: OpenAI;
let shop: McpFixture;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  client = stage.client;
  openai = clientOf(ADMIN_KEY);
  shop = await McpFixture.start({
    token: TOKEN,
    tools: [
      { name: 'price', annotations: { readOnlyHint: true }, run: () => text('7') },
      { name: 'sell', description: 'Sells a thing', run: () => text('sold') },
      { name: 'lose', run: () => ({ ...text('it is gone'), isError: true }) },
    ],
  });
});
afterAll(async () => {
  await stage.close();
  await shop.close();
});

const clientOf = (apiKey: string) =>
  new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey, maxRetries: 0 });

const server = (more: Partial<Tool.Mcp> = {}): Tool.Mcp => ({
  type: 'mcp',
  server_label: 'shop',
  server_url: shop.url,
  server_description: 'The shop in the harbour.',
  authorization: TOKEN,
  ...more,
});

const message = (name: string, tool: string) =>
  stage.book.on(stage.message(name), say(...call(0, 'c0', tool, { n: 1 })), say('done'));

const requestsOf = ({ output }: Response): string[] =>
  output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : []));

const decide = (response: Response, approve: boolean, more: object = {}) => ({
  previous_response_id: response.id,
  tools: [server()],
  input: requestsOf(response).map((id) => ({
    type: 'mcp_approval_response' as const,
    approval_request_id: id,
    approve,
  })),
  ...more,
});

describe('tool servers', () => {
  it('are asked for approval where nothing else is said, and called when it is given', async () => {
    const input = message('ask', 'sell');
    const first = await openai.responses.create({ input, tools: [server()] });
    expect(first).toMatchObject({
      status: 'completed',
      output: [{ type: 'mcp_approval_request', name: 'sell', server_label: 'shop', arguments: '{"n":1}' }],
    });
    expect(first.tools).toEqual([
      {
        type: 'mcp',
        server_label: 'shop',
        server_description: 'The shop in the harbour.',
        allowed_tools: null,
        require_approval: 'always',
      },
    ]);
    expect(shop.calls).toEqual([]);
    const without = client.post('/v1/responses', decide(first, true, { tools: [] }));
    expect((await without).json()).toMatchObject({ error: { param: 'tools' } });
    const second = await openai.responses.create(decide(first, true));
    expect(second).toMatchObject({
      output_text: 'done',
      output: [
        {
          type: 'mcp_call',
          status: 'completed',
          name: 'sell',
          output: 'sold',
          error: null,
          approval_request_id: requestsOf(first)[0],
        },
        { type: 'message' },
      ],
    });
    expect(shop.calls).toEqual(['sell {"n":1}']);
    const offered = stage.book.lastAsk(input)?.tools?.map(({ function: f }) => f.description);
    expect(offered).toContain('The shop in the harbour.\nSells a thing');
  });

  it('are approved by value, too, in each turn of a talk', async () => {
    const history: ResponseInput = [];
    for (const name of ['one', 'two']) {
      history.push({ role: 'user', content: message(name, 'sell') });
      const first = await openai.responses.create({ input: history, tools: [server()] });
      history.push(...(first.output as never[]), ...decide(first, true).input);
      const second = await openai.responses.create({ input: history, tools: [server()] });
      expect(second).toMatchObject({ id: first.id.replace(/_1$/, '_2'), output_text: 'done' });
      history.push(...(second.output as never[]));
    }
  });

  it('are not called where it is denied, or by a key that may not approve', async () => {
    const before = shop.calls.length;
    const first = await openai.responses.create({ input: message('no', 'sell'), tools: [server()] });
    const keys = await client.post('/api-keys', { name: 'runner', scopes: ['run', 'read'] });
    const runner = clientOf(keys.json<{ key: string }>().key);
    await expect(runner.responses.create(decide(first, true))).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    const second = await runner.responses.create(decide(first, false));
    expect(second.output.map(({ type }) => type)).toEqual(['message']);
    expect(shop.calls).toHaveLength(before);
  });

  it('are called at once where that is said, with what came of it', async () => {
    const never = { require_approval: 'never' as const };
    const failed = await openai.responses.create({ input: message('now', 'lose'), tools: [server(never)] });
    expect(failed.output[0]).toMatchObject({
      type: 'mcp_call',
      status: 'failed',
      output: null,
      error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'it is gone' }] },
    });
    const reads = { require_approval: { never: { read_only: true } } };
    const free = await openai.responses.create({ input: message('reads', 'price'), tools: [server(reads)] });
    expect(free.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    // What `never` does not name asks, also where it names nothing.
    for (const never of [{ read_only: true }, {}, { tool_names: null }]) {
      const tools = [server({ require_approval: { never } as Tool.Mcp.McpToolApprovalFilter })];
      const asks = await openai.responses.create({ input: message('sells', 'sell'), tools });
      expect(asks.output.map(({ type }) => type)).toEqual(['mcp_approval_request']);
    }
  });

  it('offer what is allowed', async () => {
    const offeredOf = async (allowed: Tool.Mcp['allowed_tools']) => {
      const input = stage.book.on(stage.message('allowed'), say('ok'));
      await openai.responses.create({ input, tools: [server({ allowed_tools: allowed ?? null })] });
      return stage.book.lastAsk(input)?.tools?.map(({ function: f }) => f.name) ?? [];
    };
    expect(await offeredOf(['sell'])).toEqual(['sell']);
    expect(await offeredOf({ read_only: true })).toEqual(['price']);
    expect(await offeredOf({ tool_names: ['sell'], read_only: true })).toEqual([]);
  });

  it('are chosen by label and name, in the first turn alone', async () => {
    const input = message('choice', 'price');
    await openai.responses.create({
      input,
      tools: [server({ require_approval: 'never' })],
      tool_choice: { type: 'mcp', server_label: 'shop', name: 'price' } as never,
    });
    const asks = stage.book.asks.filter((ask) => ask.message === input);
    expect(asks[0]?.request).toMatchObject({ tool_choice: { function: { name: 'price' } } });
    expect(asks[1]?.request).not.toHaveProperty('tool_choice');
  });

  it('leave neither address nor token anywhere', async () => {
    const input = stage.book.on(stage.message('secret'), say('ok'));
    const response = await openai.responses.create({ input, tools: [server()] });
    const session = response.id.replace(/^resp_(\w+)_\w+_1$/, 'ses_$1');
    const log = await client.get(`/sessions/${session}/log`, { headers: { accept: 'application/json' } });
    const read = await client.get(`/v1/responses/${response.id}?stream=true`);
    for (const { text: seen } of [log, read]) {
      expect(seen).not.toContain(TOKEN);
      expect(seen).not.toContain(shop.url);
    }
  });
});
