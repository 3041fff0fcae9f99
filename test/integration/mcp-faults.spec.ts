import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { McpPorts } from '#mcp';
import type { McpServerConfig } from '#agent';
import { EgressGuard, type PinnedAddress, Resolver, readEgressAllow } from '#platform';
import { type FixtureOptions, McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { quiet } from '../support/quiet.js';

const open: { close(): Promise<void> }[] = [];
const serve = async (options: Partial<FixtureOptions>) => {
  const server = await McpFixture.start({ tools: [{ name: 'add' }], ...options });
  open.push(server);
  return server;
};
const connect = async (server: McpServerConfig, ports: Partial<McpPorts> = {}) => {
  const run = await McpRun.open([server], ports);
  open.push(run);
  return run;
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  message: { id?: number; method?: string },
) => void;

/** Does as the test wants with one kind of request, and as a real server with all others. */
const lying = (method: string, answer: Answer): Partial<FixtureOptions> => ({
  intercept: (request, response, body) => {
    const message = body === '' ? {} : (JSON.parse(body) as { id?: number; method?: string });
    if ((message.method ?? request.method) !== method) return false;
    answer(request, response, message);
    return true;
  },
});
const json = (response: ServerResponse, value: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
};
const events = (response: ServerResponse, ...data: string[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(data.map((each) => `data: ${each}\n\n`).join(''));
};

const hold = (response: ServerResponse, message: object) =>
  void response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .write(`data: ${JSON.stringify(message)}\n\n`);

const NONSENSE: readonly (readonly [string, Answer, RegExp])[] = [
  ['a page', (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'), /neither JSON/],
  ['broken JSON', (_, r) => json(r, '{"jsonrpc":'), /not JSON/],
  ['something else', (_, r) => json(r, { hello: 'world' }), /to something else/],
  [
    'the answer to another request',
    (_, r) => json(r, { jsonrpc: '2.0', id: 99, result: {} }),
    /to something else/,
  ],
  [
    'a result of no kind',
    (_, r, { id }) => json(r, { jsonrpc: '2.0', id, result: 'yes' }),
    /no message of MCP/,
  ],
  ['neither result nor error', (_, r, { id }) => json(r, { jsonrpc: '2.0', id }), /no message of MCP/],
  [
    'an error of no kind',
    (_, r, { id }) => json(r, { jsonrpc: '2.0', id, error: 'bad' }),
    /no message of MCP/,
  ],
  ['events of no kind', (_, r) => events(r, 'hello'), /not JSON/],
  [
    'another answer, and holds the stream',
    (_, r) => hold(r, { jsonrpc: '2.0', id: 99, result: {} }),
    /to something else/,
  ],
  ['an event of no kind, and holds the stream', (_, r) => hold(r, { hello: 'world' }), /to something else/],
  [
    'an error that names no request, and holds the stream',
    (_, r) => hold(r, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } }),
    /said: what\?/,
  ],
  ['a stream that ends', (_, r) => events(r), /broke the connection|outcome unknown/],
  [
    'a cut answer',
    (_, r) => (
      r.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      void quiet(5).then(() => r.destroy())
    ),
    /broke the connection/,
  ],
  ['a reset', (_, r) => r.socket?.resetAndDestroy(), /broke the connection/],
  ['an error page', (_, r) => r.writeHead(500).end('<h1>sorry</h1>'), /status 500/],
  ['too much', (_, r) => json(r, `"${'x'.repeat(200_000)}"`), /too large/],
  [
    'an event without an end',
    (_, r) => (
      r.writeHead(200, { 'content-type': 'text/event-stream' }),
      void r.write(`data: ${'x'.repeat(200_000)}`)
    ),
    /too large/,
  ],
  ['an empty answer', (_, r) => r.writeHead(202).end(), /neither JSON/],
];
const limits = { maxMessageBytes: 100_000, openMs: 2_000, retryMs: [1] };

describe('a server that answers a call with', () => {
  test.each(NONSENSE)('%s is told of, and goes on', async (_, answer, told) => {
    let isLying = true;
    const server = await serve({
      ...lying('tools/call', answer),
      tools: [{ name: 'pay' }],
    });
    const { intercept } = lying('tools/call', answer);
    server.intercept = (...all) => isLying && intercept?.(...all) === true;
    const run = await connect(at(server), { limits });
    const outcome = await run.call('pay');
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(/the tool server "fixture"/);
    expect(outcome.content).toMatch(told);
    expect(outcome.content).not.toContain('127.0.0.1');
    isLying = false;
    expect(await run.call('pay')).toEqual({ content: 'pay did {}' });
  });
});

describe('a server of 2024-11-05 that answers a call with', () => {
  test.each([
    ['another answer', { jsonrpc: '2.0', id: 99, result: {} }, /to something else/],
    ['no answer', { hello: 'world' }, /to something else/],
    [
      'an error that names none',
      { jsonrpc: '2.0', id: null, error: { code: 1, message: 'no' } },
      /said: no$/,
    ],
  ])('%s is told of at once, and goes on', async (_, lie, told) => {
    let stream: ServerResponse | undefined;
    let isLying = true;
    const server = await serve({
      wire: 'sse',
      tools: [{ name: 'pay' }],
      intercept: (request, response, body) => {
        if (request.method === 'GET') stream = response;
        if (!isLying || !body.includes('tools/call')) return false;
        response.writeHead(202).end();
        stream?.write(`data: ${JSON.stringify(lie)}\n\n`);
        return true;
      },
    });
    const run = await connect(at(server), { limits });
    expect(await run.call('pay')).toMatchObject({ isError: true, content: expect.stringMatching(told) });
    isLying = false;
    expect(await run.call('pay')).toEqual({ content: 'pay did {}' });
  });
});

describe('a server that begins with', () => {
  test.each(NONSENSE)('%s is named', async (_, answer, told) => {
    const server = await serve(lying('initialize', answer));
    const run = await connect(at(server), { limits });
    expect(run.names).toEqual([]);
    expect(run.notices).toHaveLength(1);
    expect(run.notices[0]).toMatch(
      /^The tool server "fixture" .*\. Its tools are not available in this run\.$/,
    );
    expect(run.notices[0]).toMatch(told);
  });

  test('results that are not what was asked for is named', async () => {
    const server = await serve(
      lying('initialize', (_, r, { id }) => json(r, { jsonrpc: '2.0', id, result: { capabilities: 7 } })),
    );
    expect((await connect(at(server))).notices[0]).toContain('not as MCP has it');
  });
});

describe('an older server is found', () => {
  test.each([400, 404, 405, 406, 415])('behind %i', async (status) => {
    const server = await serve({
      wire: 'sse',
      intercept: (request, response) => {
        const isPost = request.method === 'POST' && request.url === '/sse';
        if (isPost) response.writeHead(status).end();
        return isPost;
      },
    });
    const run = await connect(at(server));
    expect(run.names).toEqual(['add']);
  });

  test('but not where it sends messages elsewhere', async () => {
    const server = await serve({
      wire: 'sse',
      ...lying('GET', (_, r) => {
        r.writeHead(200, { 'content-type': 'text/event-stream' });
        r.write('event: endpoint\ndata: http://169.254.169.254/steal\n\n');
      }),
    });
    expect((await connect(at(server))).notices[0]).toContain('wants its messages at another place');
  });
});

class Zone extends Resolver {
  asked = 0;
  constructor(private readonly answers: readonly string[]) {
    super();
  }
  override resolve(): Promise<readonly PinnedAddress[]> {
    const address = this.answers[Math.min(this.asked++, this.answers.length - 1)] ?? '';
    return Promise.resolve([{ address, family: 4 }]);
  }
}

describe('egress', () => {
  const guarded = (resolver?: Resolver) => ({ egress: new EgressGuard(readEgressAllow(''), resolver) });

  test.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', 'metadata.google.internal'])(
    'does not go to %s',
    async (host) => {
      const server = await serve({});
      const serverUrl = server.url.replace('127.0.0.1', host);
      const run = await connect({ serverName: 'inside', serverUrl }, guarded());
      expect(run.notices[0]).toMatch(
        /^The tool server "inside" is at an address that this service may not reach/,
      );
      expect(server.requests).toEqual([]);
    },
  );

  test('does not go where a name leads only when it is looked up again', async () => {
    const server = await serve({});
    const zone = new Zone(['93.184.215.14', '127.0.0.1']);
    const serverUrl = server.url.replace('127.0.0.1', 'rebind.example');
    const run = await connect({ serverName: 'rebind', serverUrl }, guarded(zone));
    expect(zone.asked).toBeGreaterThan(1);
    expect(run.notices[0]).toContain('is at an address that this service may not reach');
    expect(server.requests).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i) to another origin',
    async (status) => {
      const inside = await serve({});
      const server = await serve(
        lying('initialize', (_, r) => r.writeHead(status, { location: inside.url }).end()),
      );
      const run = await connect(at(server));
      expect(run.notices[0]).toContain('redirects to another place, which is not followed');
      expect(inside.requests).toEqual([]);
    },
  );

  test('follows one that adds a slash', async () => {
    const server = await serve({
      intercept: (request, response) => {
        if (request.url !== '/mcp') return false;
        response.writeHead(307, { location: '/mcp/' }).end();
        return true;
      },
    });
    expect((await connect(at(server))).names).toEqual(['add']);
  });
});

test('nothing of an entry but its name is in what the server makes the agent read', async () => {
  const token = 'tok-"en\\ä-1';
  const server = await serve({
    tools: [
      {
        name: 'echo',
        description: `call me with ${token}`,
        run: () => ({
          ...text(`you are ${token} at ${server.url}?key=Secret99`),
          structuredContent: { token, at: server.url },
        }),
      },
      {
        name: 'bad',
        run: () => Promise.reject(new Error(`${encodeURIComponent(token)} at 127.0.0.1 is bad`)),
      },
    ],
  });
  const auth = { type: 'bearer', token } as const;
  const serverUrl = `${server.url}?key=Secret99`;
  const run = await connect({ serverName: 'fixture', serverUrl, auth });
  expect(run.notices).toEqual([]);
  const texts = [
    JSON.stringify(run.mcp.tools.map(({ definition }) => definition)),
    (await run.call('echo')).content,
    (await run.call('bad')).content,
    ...run.logger.lines,
  ];
  expect(texts[1]).toBe('you are *** at ***\n{"token":"***","at":"***"}');
  expect(texts[2]).toBe('the tool server "fixture" said: *** at *** is bad');
  expect(texts.join('\n')).not.toMatch(/tok-|127\.0\.0\.1|Secret99/);
});
