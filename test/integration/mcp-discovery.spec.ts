import { afterEach, describe, expect, test } from '@jest/globals';
import type { McpPorts } from '#mcp';
import { type FixtureOptions, McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import {
  type RawAnswer,
  type RpcMessage,
  answering,
  error,
  json,
  plain,
} from '../support/mcp-servers/raw-answers.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';

const open: { close(): Promise<void> }[] = [];
const serve = async (options: Partial<FixtureOptions> = {}) => {
  const server = await McpFixture.start({ tools: [{ name: 'add' }], ...options });
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

const speaks = (...supportedVersions: string[]): RawAnswer =>
  json(200, { result: { resultType: 'complete', supportedVersions, capabilities: { tools: {} } } });
const unsupported = (status: number, ...supported: string[]): RawAnswer =>
  error(status, -32022, 'Unsupported protocol version', { supported, requested: '2026-07-28' });
const silent: RawAnswer = () => undefined;

const methodsOf = (server: McpFixture): string[] =>
  server.requests.map((entry) => entry.replace('POST ', ''));
const MODERN = ['server/discover', 'tools/list'];
const LEGACY = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];

describe('a server of 2026-07-28', () => {
  test.each<[string, Partial<FixtureOptions>]>([
    ['says so', {}],
    ['says so among others', answering({ 'server/discover': speaks('2025-11-25', '2026-07-28') })],
    ...[200, 400, 500].map((status): [string, Partial<FixtureOptions>] => [
      `says so in a refusal (${status})`,
      answering({ 'server/discover': unsupported(status, '2026-07-28') }),
    ]),
  ])('that %s is spoken to as one', async (_, options) => {
    const server = await serve({ wire: 'modern', ...options });
    const run = await connect(server);
    expect(run.notices).toEqual([]);
    expect(await run.call('add')).toEqual({ content: 'add did {}' });
    expect(methodsOf(server)).toEqual([...MODERN, 'tools/call']);
    expect(await server.connections()).toBe(1);
  });

  test('gets the headers and the metadata of its revision, and no session', async () => {
    const bodies: { params: { _meta: object } }[] = [];
    const server = await serve({
      wire: 'modern',
      tools: [{ name: 'größe' }],
      intercept: (_, response, body) => {
        bodies.push(JSON.parse(body) as { params: { _meta: object } });
        response.setHeader('mcp-session-id', 'unwanted');
        return false;
      },
    });
    const run = await connect(server);
    await run.call(run.names[0] ?? '');
    const headers = server.headers['POST tools/call'];
    expect(headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
    });
    expect(Object.keys(headers ?? {})).not.toContain('mcp-session-id');
    expect(bodies.at(-1)?.params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'annals', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {}, url: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      progressToken: expect.anything(),
    });
  });
});

describe('a server of an earlier revision is found', () => {
  test.each<[string, RawAnswer]>([
    ['an unknown method', error(200, -32601, 'Method not found')],
    ['400', plain(400, 'no session')],
    ['401', plain(401)],
    ['404', plain(404)],
    ['500', plain(500)],
    ['503', plain(503)],
    ['a page', plain(200, '<h1>Hi</h1>')],
    ['a result of something else', json(200, { result: { tools: [] } })],
    ['a refusal of the version that lists none', error(400, -32022, 'no')],
    ['a cut', (response) => void response.destroy()],
    [
      'an answer to something else',
      (response) => json(200, { result: {} })(response, { id: 99 }, {} as never),
    ],
    ['silence', silent],
  ])('behind %s', async (_, answer) => {
    const server = await serve(answering({ 'server/discover': answer }));
    const run = await connect(server, { limits: { discoverMs: 100 } });
    expect(run.notices).toEqual([]);
    expect(await run.call('add')).toEqual({ content: 'add did {}' });
    expect(methodsOf(server)).toEqual([...LEGACY, 'tools/call']);
  });

  test.each<[string, RawAnswer]>([
    ['a result', speaks('2025-03-26', '2025-06-18', '2030-01-01')],
    ['a refusal', unsupported(400, '2025-03-26', '2025-06-18', '2030-01-01')],
  ])('and begun with the newest version that %s lists and that is known', async (_, answer) => {
    const offered: (string | undefined)[] = [];
    const server = await serve({
      intercept: (request, response, body) => {
        const message = body === '' ? {} : (JSON.parse(body) as RpcMessage);
        if (message.method === 'initialize') offered.push(message.params?.protocolVersion);
        if (message.method !== 'server/discover') return false;
        answer(response, message, request);
        return true;
      },
    });
    const run = await connect(server);
    expect(run.names).toEqual(['add']);
    expect(offered).toEqual(['2025-06-18']);
    expect(server.headers['POST tools/list']?.['mcp-protocol-version']).toBe('2025-06-18');
  });
});

describe('a server is left out', () => {
  test.each<[string, RawAnswer, string]>([
    [
      'speaks only what is not known',
      speaks('2030-01-01'),
      'speaks only versions that are not known here (2030-01-01)',
    ],
    ['refuses all but what is not known', unsupported(400, '2030-01-01'), '(2030-01-01)'],
    ['finds the headers wrong', error(400, -32020, 'Mcp-Method is missing'), 'Mcp-Method is missing'],
    ['needs what is not offered', error(400, -32021, 'sampling is required'), 'sampling is required'],
  ])('that %s', async (_, answer, told) => {
    const server = await serve(answering({ 'server/discover': answer }));
    const run = await connect(server);
    expect(run.notices[0]).toContain(told);
    expect(methodsOf(server)).toEqual(['server/discover']);
  });

  test('that cannot be connected to, at once', async () => {
    const server = await serve();
    await server.close();
    const run = await connect(server, { limits: { discoverMs: 30_000, openMs: 60_000 } });
    expect(run.notices[0]).toContain('refused the connection');
    await server.listen();
    expect(server.requests).toEqual([]);
  });

  test('that is silent, after the time for everything', async () => {
    const server = await serve({ intercept: () => true });
    const run = await connect(server, { limits: { discoverMs: 50, openMs: 200 } });
    expect(run.notices[0]).toContain('could not be reached within 0.2 s');
    expect(methodsOf(server)).toEqual(['server/discover', 'initialize']);
  });
});

describe('a refusal of initialize', () => {
  const refusing = (refusal: RawAnswer) => {
    const offered: (string | undefined)[] = [];
    const options: Partial<FixtureOptions> = {
      intercept: (request, response, body) => {
        const message = body === '' ? {} : (JSON.parse(body) as RpcMessage);
        if (message.method !== 'initialize') return false;
        offered.push(message.params?.protocolVersion);
        if (offered.length === 1) refusal(response, message, request);
        return offered.length === 1;
      },
    };
    return { offered, options };
  };

  test.each<[string, RawAnswer]>([
    ['in its data', error(200, -32602, 'no', { supported: ['2025-06-18', '2025-03-26', '2030-01-01'] })],
    ['in its data, with 400', error(400, -32602, 'no', { supported: ['2025-06-18'] })],
    ['in its words', error(200, -32602, '2025-11-25 is unknown; I speak 2025-03-26 and 2025-06-18')],
    ['in its words, with 400', plain(400, 'supported versions: 2025-06-18, 2024-11-05')],
  ])('that names versions %s is followed by the newest that is known', async (_, refusal) => {
    const { offered, options } = refusing(refusal);
    const run = await connect(await serve(options));
    expect(run.names).toEqual(['add']);
    expect(offered).toEqual(['2025-11-25', '2025-06-18']);
  });

  test('is followed by one more only', async () => {
    const offered: (string | undefined)[] = [];
    const server = await serve({
      intercept: (request, response, body) => {
        const message = body === '' ? {} : (JSON.parse(body) as RpcMessage);
        if (message.method !== 'initialize') return false;
        offered.push(message.params?.protocolVersion);
        error(200, -32602, 'try 2025-06-18, 2025-03-26')(response, message, request);
        return true;
      },
    });
    const run = await connect(server);
    expect(run.notices[0]).toContain('said: try');
    expect(offered).toEqual(['2025-11-25', '2025-06-18']);
  });

  test('that names none that is known is the end', async () => {
    const { offered, options } = refusing(error(200, -32602, 'only 2026-07-28'));
    const run = await connect(await serve(options));
    expect(run.notices[0]).toContain('said: only 2026-07-28');
    expect(offered).toEqual(['2025-11-25']);
  });

  test.each([400, 404, 405, 406, 415])('by %i is followed by HTTP with SSE', async (status) => {
    const server = await serve({
      wire: 'sse',
      intercept: (request, response) => {
        const isPost = request.method === 'POST' && request.url === '/sse';
        if (isPost) response.writeHead(status).end();
        return isPost;
      },
    });
    expect((await connect(server)).names).toEqual(['add']);
    expect(server.requests.slice(0, 3)).toEqual(['POST server/discover', 'POST initialize', 'GET']);
  });

  test.each([401, 403, 407, 408, 429, 500])('by %i is not', async (status) => {
    const server = await serve(answering({ 'server/discover': plain(404), initialize: plain(status) }));
    const run = await connect(server);
    expect(run.notices[0]).toContain(`status ${status}`);
    expect(server.requests).not.toContain('GET');
  });
});
