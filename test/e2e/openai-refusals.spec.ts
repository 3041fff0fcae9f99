import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
});
afterAll(() => stage.close());

describe('refusals of bodies', () => {
  const function_ = { type: 'function', name: 'f' };
  it.each<[object, string, string | null]>([
    [{}, 'missing_required_parameter', 'input'],
    [{ input: '' }, 'invalid_value', 'input'],
    [{ input: 5 }, 'invalid_type', 'input'],
    [{ input: [] }, 'invalid_value', 'input'],
    [{ inputs: 'x' }, 'unknown_parameter', 'inputs'],
    [{ input: 'x', prompt: { id: 'p' } }, 'unsupported_parameter', 'prompt'],
    [{ input: 'x', truncation: 'disabled' }, 'unsupported_value', 'truncation'],
    [{ input: 'x', model: 'gpt-5' }, 'model_not_found', 'model'],
    [
      { input: 'x', stream_options: { include_obfuscation: true } },
      'unsupported_value',
      'stream_options.include_obfuscation',
    ],
    [{ input: 'x', include: ['message.output_text.logprobs'] }, 'unsupported_value', 'include[0]'],
    [{ input: 'x', tools: [{ type: 'web_search' }] }, 'unsupported_value', 'tools[0].type'],
    [
      { input: 'x', tools: [function_, { ...function_, type: 'function' }] },
      'invalid_value',
      'tools[1].name',
    ],
    [
      { input: 'x', tools: [{ ...function_, parameters: { type: 5 } }] },
      'invalid_value',
      'tools[0].parameters.type',
    ],
    [
      {
        input: 'x',
        tools: [
          { type: 'mcp', server_label: 'l', server_url: 'https://a.example', headers: { 'X-Key': 'k' } },
        ],
      },
      'unsupported_parameter',
      'tools[0].headers.X-Key',
    ],
    [
      { input: 'x', tools: [{ type: 'mcp', server_label: 'l', server_url: 'http://169.254.169.254/' }] },
      'invalid_value',
      'tools[0].server_url',
    ],
    [
      { input: 'x', text: { format: { type: 'json_schema', name: 'n', schema: { type: 'thing' } } } },
      'invalid_value',
      'text.format.schema.type',
    ],
    [
      { input: 'x', tools: [{ ...function_, parameters: { default: { $file: 'f' } } }] },
      'invalid_value',
      'tools[0].parameters.default',
    ],
    [
      { input: 'x', text: { format: { type: 'json_schema', name: 'n', schema: { const: { $file: 'f' } } } } },
      'invalid_value',
      'text.format.schema.const',
    ],
    [
      { input: 'x', tools: [{ type: 'mcp', server_label: '$file', server_url: 'https://a.example' }] },
      'invalid_value',
      'tools[0].server_label',
    ],
    [{ input: 'x', metadata: { $file: 'f' } }, 'invalid_value', 'metadata'],
    [{ input: [{ type: 'computer_call' }] }, 'unsupported_value', 'input[0].type'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      'unsupported_value',
      'input[0].content[0].type',
    ],
    [{ input: [{ role: 'user', content: 'x', extra: 1 }] }, 'unknown_parameter', 'input[0].extra'],
    [{ input: [{ type: 'item_reference', id: 'msg_a_1' }] }, 'item_not_found', 'input[0].id'],
    [
      { input: [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }] },
      'invalid_value',
      'input',
    ],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }, 'invalid_value', 'input'],
    [{ input: 'x', background: true, store: false }, 'invalid_value', 'store'],
    [{ input: 'x', metadata: { k: 5 } }, 'invalid_type', 'metadata.k'],
    [{ input: 'x', temperature: 3 }, 'invalid_value', 'temperature'],
  ])('%j', async (body, code, param) => {
    const answer = await client.post('/v1/responses', body);
    expect(answer.json()).toMatchObject({ error: { code, param } });
    expect(answer.status).toBe(code === 'model_not_found' ? 404 : 400);
  });

  it('say so of JSON that is none, and of what OpenAI has and we have not', async () => {
    const broken = await fetch(`${stage.service.origin}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: '{"input":',
    });
    expect(await broken.json()).toMatchObject({ error: { code: 'invalid_json', param: null } });
    const compact = await client.post('/v1/responses/compact', { input: 'x' });
    expect(compact.json()).toMatchObject({ error: { code: 'unsupported' } });
  });

  it('name the reference with which there is more text than a request may bring in', async () => {
    const text = 'x'.repeat(1_000_000);
    const items = [{ type: 'message', role: 'user', content: text }];
    const { id } = (await client.post('/v1/conversations', { items })).json<{ id: string }>();
    const kept = (await client.get(`/v1/conversations/${id}/items`)).json<{ data: { id: string }[] }>();
    const references = (count: number) =>
      Array.from({ length: count }, () => ({ type: 'item_reference', id: kept.data[0]!.id }));
    const much = await client.post('/v1/responses', { input: references(9) });
    expect(much.json()).toMatchObject({ error: { code: 'invalid_value', param: 'input[8].id' } });
    const most = [...references(8), { type: 'item_reference', id: 'msg_a_1' }];
    const unknown = await client.post('/v1/responses', { input: most });
    expect(unknown.json()).toMatchObject({ error: { code: 'item_not_found', param: 'input[8].id' } });
  });

  it('name what is not known, also where nothing is taken', async () => {
    const response = await client.post('/v1/responses', {
      input: stage.book.on(stage.message('m'), say('ok')),
    });
    const { id } = response.json<{ id: string }>();
    const refusals = [
      await client.post(`/v1/responses/${id}/cancel`, { zork: 1 }),
      await client.post(`/v1/responses/${id}/cancel?zork=1`),
      await client.get('/v1/models?zork=1'),
      await client.get('/v1/models/base?zork=1'),
      await client.get(`/v1/responses/${id}?zork=1`),
    ];
    for (const refusal of refusals)
      expect([refusal.status, refusal.json()]).toMatchObject([
        400,
        { error: { code: 'unknown_parameter', param: 'zork' } },
      ]);
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const root = await fetch(`${stage.service.origin}/v1`, { headers });
    expect(await root.json()).toMatchObject({ error: { code: 'unknown_url' } });
  });

  it('take null for what was left out', async () => {
    const message = stage.book.on(stage.message('nulls'), say('ok'));
    const body = { input: message, tools: null, text: null, previous_response_id: null, metadata: null };
    expect((await client.post('/v1/responses', body)).json()).toMatchObject({ status: 'completed' });
  });
});
