import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open({ env: { RATE_LIMIT_RPM: '100000' } });
  client = stage.client;
});
afterAll(() => stage.close());

async function keyWith(scopes: readonly string[], project = 'default'): Promise<ServiceClient> {
  const made = await client.post('/api-keys', { name: 'key', scopes, project });
  return client.with(made.json<{ key: string }>().key);
}

const codeOf = ({ text }: { readonly text: string }): string =>
  (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;

describe('keys', () => {
  it('need the scopes that the contract names, and see their own project alone', async () => {
    const input = stage.book.on(stage.message('own'), say('mine'));
    const made = await client.post('/v1/responses', { input });
    const { id } = made.json<{ id: string }>();
    const conversation = `conv_${id.split('_')[1]}`;
    const asks: readonly (readonly [string, string, string, object?])[] = [
      ['POST', '/v1/responses', 'run', { input }],
      ['POST', `/v1/responses/${id}/cancel`, 'run'],
      ['GET', `/v1/responses/${id}`, 'read'],
      ['GET', `/v1/responses/${id}/input_items`, 'read'],
      ['POST', '/v1/conversations', 'run', {}],
      ['POST', `/v1/conversations/${conversation}`, 'run', { metadata: {} }],
      ['POST', `/v1/conversations/${conversation}/items`, 'run', { items: [{ role: 'user', content: 'x' }] }],
      ['GET', `/v1/conversations/${conversation}`, 'read'],
      ['GET', `/v1/conversations/${conversation}/items`, 'read'],
      ['GET', '/v1/models', 'read'],
      ['POST', '/v1/chat/completions', 'run', { messages: [{ role: 'user', content: input }] }],
      ['DELETE', `/v1/responses/${id}`, 'admin'],
      ['DELETE', `/v1/conversations/${conversation}`, 'admin'],
    ];
    const keys = { run: await keyWith(['run']), read: await keyWith(['read']), admin: client };
    const stranger = await keyWith(['admin', 'run', 'read'], 'elsewhere');
    for (const [method, path, scope, body] of asks) {
      const options = body === undefined ? {} : { body };
      for (const name of ['run', 'read'] as const)
        if (name !== scope) {
          const refused = await keys[name].call(method, path, options);
          expect([path, refused.status, codeOf(refused)]).toEqual([path, 403, 'forbidden']);
        }
      if (path.includes('_')) {
        const unseen = await stranger.call(method, path, options);
        expect([path, unseen.status]).toEqual([path, path.includes('completions') ? unseen.status : 404]);
      }
      const taken = await keys[scope as 'run'].call(method, path, options);
      expect([path, taken.status]).toEqual([path, 200]);
    }
    const behind = { input, previous_response_id: id };
    expect(codeOf(await stranger.post('/v1/responses', behind))).toBe('previous_response_not_found');
  });

  it('that are for one session of a browser do not come in here', async () => {
    const token = await client.post('/tokens', { scopes: ['run', 'read'], expires_s: 60 });
    const browser = client.with(token.json<{ token: string }>().token);
    expect((await browser.get('/v1/models')).status).toBe(403);
  });
});

describe('what is no interface of ours', () => {
  it.each([
    ['GET', '/v1/responses'],
    ['PATCH', '/v1/responses/resp_a_b_1'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/embeddings'],
  ])('%s %s is an unknown URL', async (method, path) => {
    const answer = await client.call(method, path);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'unknown_url']);
  });

  it('is no WebSocket', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const answer = await client.get('/v1/responses', { headers });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'unsupported']);
  });
});

/** Bodies of which each part is sometimes nonsense. */
const nonsense = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, '', [], {}, -1, 1e308, 'x'.repeat(300)),
);
const part = fc.record(
  {
    type: fc.constantFrom('input_text', 'input_image', 'input_file', 'output_text'),
    text: fc.string(),
    image_url: nonsense,
    file_data: nonsense,
  },
  { requiredKeys: ['type'] },
);
const item = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
    content: fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }), nonsense),
  }),
  fc.record(
    {
      type: fc.constantFrom(
        'function_call',
        'function_call_output',
        'mcp_call',
        'mcp_approval_response',
        'reasoning',
        'item_reference',
      ),
      id: fc.string(),
      call_id: nonsense,
      output: nonsense,
      name: nonsense,
      arguments: nonsense,
    },
    { requiredKeys: ['type'] },
  ),
  nonsense,
);
const tool = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('function', 'mcp', 'web_search'),
      name: nonsense,
      parameters: nonsense,
      server_label: nonsense,
      server_url: nonsense,
      require_approval: nonsense,
      allowed_tools: nonsense,
    },
    { requiredKeys: ['type'] },
  ),
  nonsense,
);
const body = fc.record(
  {
    model: fc.constantFrom('base', 'max', 'gpt'),
    input: fc.oneof(fc.string(), fc.array(item, { maxLength: 4 }), nonsense),
    messages: fc.oneof(fc.array(item, { maxLength: 4 }), nonsense),
    tools: fc.oneof(fc.array(tool, { maxLength: 3 }), nonsense),
    tool_choice: nonsense,
    text: nonsense,
    reasoning: nonsense,
    metadata: nonsense,
    conversation: nonsense,
    previous_response_id: nonsense,
    include: nonsense,
    items: fc.array(item, { maxLength: 3 }),
    stream: fc.constantFrom(false, null),
  },
  { requiredKeys: [] },
);

it('nonsense is refused with an error of the form that clients read, and nothing breaks', async () => {
  stage.book.find = () => [say('ok')];
  const paths = ['/v1/responses', '/v1/chat/completions', '/v1/conversations'];
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...paths), async (sent, path) => {
      const answer = await client.post(path, sent);
      expect(answer.status).toBeLessThan(500);
    }),
    { numRuns: 400 },
  );
  const input = stage.book.on(stage.message('after'), say('still here'));
  expect((await client.post('/v1/responses', { input })).text).toContain('still here');
});
