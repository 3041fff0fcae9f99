import { afterEach, describe, expect, test } from '@jest/globals';
import type { McpPorts } from '#mcp';
import { type FixtureOptions, McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { type RawAnswer, type RpcMessage, error, json, plain } from '../support/mcp-servers/raw-answers.js';
import { quiet } from '../support/quiet.js';

const open: { close(): Promise<void> }[] = [];
const serve = async (options: Partial<FixtureOptions> = {}) => {
  const server = await McpFixture.start({ wire: 'modern', tools: [{ name: 'pay' }], ...options });
  open.push(server);
  return server;
};
const connect = async (server: McpFixture, ports: Partial<McpPorts> = {}) => {
  const run = await McpRun.open([at(server)], ports);
  open.push(run);
  return run;
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Answers calls, and nothing else, by itself, as often as it is said. */
const calls = (answer: RawAnswer, times = Infinity): Pick<FixtureOptions, 'intercept'> => {
  let left = times;
  return {
    intercept: (request, response, body) => {
      const message = body === '' ? undefined : (JSON.parse(body) as RpcMessage);
      if (message?.method !== 'tools/call' || left-- <= 0) return false;
      answer(response, message, request);
      return true;
    },
  };
};
const result = (value: object): RawAnswer => json(200, { result: value });
/** The last event ends the stream where `isEnd` says so. */
const events =
  (isEnd: boolean, ...data: (string | ((id: unknown) => object))[]): RawAnswer =>
  (response, { id }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of data)
      response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each(id))}\n\n`);
    if (isEnd) response.end();
  };
const progress = (id: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: id, progress: 1 },
});

const limits = { maxMessageBytes: 100_000, retryMs: [1, 1, 1] };

/** Each of them may come after the call was carried out. */
const LOST: readonly (readonly [string, RawAnswer, RegExp])[] = [
  ['a page', plain(200, '<h1>Hi</h1>'), /neither JSON/],
  ['nothing', plain(202), /neither JSON/],
  [
    'broken JSON',
    (r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
    /not JSON/,
  ],
  ['something else', json(200, { id: 99, result: {} }), /to something else/],
  ['a result of no kind', json(200, { result: 'yes' }), /no message of MCP/],
  ['neither result nor error', json(200, {}), /no message of MCP/],
  ['a result of an unknown kind', result({ resultType: 'later' }), /of a kind that is not known/],
  ['a stream that ends', events(true), /broke the connection/],
  ['a stream that ends behind progress', events(true, progress), /broke the connection/],
  ['a broken event, and holds the stream', events(false, 'hello'), /not JSON/],
  ['an event of no kind, and holds the stream', events(false, () => ({ a: 1 })), /no message of MCP/],
  [
    'another answer, and holds the stream',
    events(false, () => ({ jsonrpc: '2.0', id: 99, result: {} })),
    /to something else/,
  ],
  [
    'a broken answer, and holds the stream',
    events(false, (id) => ({ jsonrpc: '2.0', id, result: 7 })),
    /no message of MCP/,
  ],
  [
    'a request of its own, and holds the stream',
    events(false, () => ({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} })),
    /asked for sampling\/createMessage before it answered, which is not offered/,
  ],
  [
    'a cut',
    (r) => {
      r.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      void quiet(5).then(() => r.destroy());
    },
    /broke the connection/,
  ],
  ['a reset', (r) => r.socket?.resetAndDestroy(), /broke the connection/],
  ['502', plain(502), /status 502/],
  ['503', plain(503), /status 503/],
  ['504', plain(504), /status 504/],
];

describe('a call that is answered with', () => {
  test.each(LOST)('%s may have taken effect, which is told at once', async (_, answer, told) => {
    const server = await serve(calls(answer, 1));
    const run = await connect(server, { limits });
    const outcome = await run.call('pay');
    expect(outcome).toMatchObject({
      isError: true,
      content: expect.stringMatching(/^outcome unknown: the tool/),
    });
    expect(outcome.content).toMatch(told);
    expect(server.requests.filter((entry) => entry.endsWith('tools/call'))).toHaveLength(1);
    expect(await run.call('pay')).toEqual({ content: 'pay did {}' });
  });

  test.each(LOST)('%s is made again where the tool says that it may be', async (_, answer) => {
    const tools = [{ name: 'read', annotations: { readOnlyHint: true } }];
    const server = await serve({ tools, ...calls(answer, 3) });
    const run = await connect(server, { limits });
    expect(await run.call('read')).toEqual({ content: 'read did {}' });
    expect(server.requests.filter((entry) => entry.endsWith('tools/call'))).toHaveLength(4);
  });

  test.each<[string, RawAnswer, string]>([
    ['an error', error(200, -32603, 'no such row'), 'said: no such row'],
    [
      'an error in a stream',
      events(true, (id) => ({ id, jsonrpc: '2.0', error: { code: 1, message: 'no' } })),
      'said: no',
    ],
    [
      'an error without an id',
      json(200, { id: null, error: { code: -32700, message: 'what?' } }),
      'said: what?',
    ],
    ['400 and an error', error(400, -32602, 'no such row'), 'answered with status 400: no such row'],
    ['403', plain(403, 'not you'), 'answered with status 403: not you'],
    ['404 and an error', error(404, -32601, 'no such method'), 'answered with status 404: no such method'],
    ['500', plain(500), 'answered with status 500'],
    [
      'a question that is not offered',
      result({
        resultType: 'input_required',
        inputRequests: { roots: { method: 'roots/list', params: {} } },
      }),
      'wants something to be done that is not offered, before it goes on',
    ],
  ])('%s has failed, and is not made again', async (_, answer, told) => {
    const server = await serve({
      tools: [{ name: 'read', annotations: { readOnlyHint: true } }],
      ...calls(answer),
    });
    const run = await connect(server, { limits });
    expect(await run.call('read')).toEqual({ isError: true, content: `the tool server "fixture" ${told}` });
    expect(server.requests.filter((entry) => entry.endsWith('tools/call'))).toHaveLength(1);
  });

  test.each<[string, RawAnswer]>([
    ['gave an answer that is too large', result({ content: 'x'.repeat(200_000) })],
  ])('what cannot be used is not made again: %s', async (told, answer) => {
    for (const [name, isRepeatable] of [
      ['pay', false],
      ['read', true],
    ] as const) {
      const tools = [{ name, annotations: { readOnlyHint: isRepeatable } }];
      const server = await serve({ tools, ...calls(answer) });
      const { content } = await (await connect(server, { limits })).call(name);
      expect(content).toContain(told);
      expect(content.startsWith('outcome unknown')).toBe(!isRepeatable);
      expect(server.requests.filter((entry) => entry.endsWith('tools/call'))).toHaveLength(1);
    }
  });
});

describe('a result', () => {
  test.each<[string, object, string]>([
    ['of no kind is complete', { content: [{ type: 'text', text: 'a' }] }, 'a'],
    ['with content that is a text', { resultType: 'complete', content: 'a' }, 'a'],
    ['with content that is one block', { content: { type: 'text', text: 'a' } }, 'a'],
    [
      'without content is the JSON that it is',
      { resultType: 'complete', rows: [1], _meta: { a: 1 } },
      '{"rows":[1]}',
    ],
    ['of structured content alone', { structuredContent: [1], more: 2 }, '[1]'],
    ['of nothing', { resultType: 'complete' }, 'the tool returned nothing'],
  ])('%s', async (_, value, told) => {
    const run = await connect(await serve(calls(result(value))));
    expect(await run.call('pay')).toEqual({ content: told });
  });

  test('that says that it failed has failed', async () => {
    const run = await connect(await serve(calls(result({ ...text('no such row'), isError: true }))));
    expect(await run.call('pay')).toEqual({ content: 'no such row', isError: true });
  });
});

const withHeader = (header: string) => ({
  name: 'query',
  inputSchema: {
    type: 'object' as const,
    properties: { region: { type: 'string', 'x-mcp-header': header } },
  },
});

describe('headers of parameters', () => {
  test('go with the call', async () => {
    const server = await serve({ tools: [withHeader('Region')] });
    const run = await connect(server);
    await run.call('query', { region: 'süd' });
    expect(server.headers['POST tools/call']).toMatchObject({ 'mcp-param-region': '=?base64?c8O8ZA==?=' });
  });

  test('that are not valid cost the tool, which is told', async () => {
    const tools = [withHeader('two words'), { name: 'pay' }];
    const run = await connect(await serve({ tools }));
    expect(run.names).toEqual(['pay']);
    expect(run.mcp.warnings).toEqual([
      {
        code: 'tools_left_out',
        server: 'fixture',
        tools: ['query'],
        reason:
          'Tools of the tool server "fixture" are not available, because their x-mcp-header declarations are not valid: query.',
      },
    ]);
  });

  test('that are not valid at many tools are told in a sentence', async () => {
    const broken = withHeader('two words');
    const tools = Array.from({ length: 30 }, (_, n) => ({ ...broken, name: `t${n}`.padEnd(200, 'x') }));
    const [warning] = (await connect(await serve({ tools }))).mcp.warnings;
    expect(warning?.reason).toMatch(/ and 10 more\.$/);
    expect(warning?.reason.length).toBeLessThan(3_000);
    expect(warning?.tools).toHaveLength(30);
  });

  test('that do not fit are listed again, and the call is made once more', async () => {
    let mismatches = 0;
    const server = await serve({ tools: [withHeader('Old')] });
    const run = await connect(server);
    await server.setTools([withHeader('New')]);
    server.intercept = (request, response, body) => {
      const message = JSON.parse(body) as RpcMessage;
      if (message.method !== 'tools/call' || request.headers['mcp-param-new'] === 'a') return false;
      mismatches += 1;
      error(400, -32020, 'Mcp-Param-New is missing')(response, message, request);
      return true;
    };
    expect(await run.call('query', { region: 'a' })).toEqual({ content: 'query did {"region":"a"}' });
    expect(mismatches).toBe(1);
    expect(server.requests.slice(-3)).toEqual(['POST tools/call', 'POST tools/list', 'POST tools/call']);
  });

  test('that never fit fail the call', async () => {
    const server = await serve({ tools: [withHeader('Old')], ...calls(error(400, -32020, 'no')) });
    const run = await connect(server);
    expect((await run.call('query', { region: 'a' })).content).toContain('answered with status 400: no');
    expect(server.requests.slice(-3)).toEqual(['POST tools/call', 'POST tools/list', 'POST tools/call']);
  });
});

describe('a subscription', () => {
  test('is made once, where the tools may change', async () => {
    const server = await serve({ listChanged: true });
    const run = await connect(server);
    await server.until(() => server.requests.includes('POST subscriptions/listen'));
    await run.call('pay');
    expect(server.requests.filter((entry) => entry.endsWith('/listen'))).toHaveLength(1);
    await run.close();
    while ((await server.connections()) > 0) await new Promise(setImmediate);
  });

  test('that is lost is made anew, and what was missed is listed', async () => {
    const server = await serve({ listChanged: true });
    const run = await connect(server);
    await server.until(() => server.requests.includes('POST subscriptions/listen'));
    server.cut();
    await server.setTools([{ name: 'pay' }, { name: 'late' }]);
    await run.offers('late', 'pay');
  });

  test('that is refused is not asked for again', async () => {
    const server = await serve({
      listChanged: true,
      intercept: (request, response, body) => {
        const message = JSON.parse(body) as RpcMessage;
        if (message.method !== 'subscriptions/listen') return false;
        error(404, -32601, 'no')(response, message, request);
        return true;
      },
    });
    const run = await connect(server);
    await quiet(700);
    expect(server.requests.filter((entry) => entry.endsWith('/listen'))).toHaveLength(1);
    expect(await run.call('pay')).toEqual({ content: 'pay did {}' });
  });
});
