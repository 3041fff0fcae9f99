import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MODERN, ask, call, modern, post } from '../support/mcp-callers/posted.js';
import { ServiceProcess } from '../support/service-process.js';

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start({
    env: { CORS_ORIGINS: 'https://app.example.com', MAX_BODY_KB: '64' },
  });
});
afterAll(() => service.dispose());

const keyOf = async (scopes: readonly string[], project = 'default'): Promise<string> =>
  String((await service.client().post('/api-keys', { name: 'k', scopes, project })).json()['key']);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const metadata = () => `${service.origin}/.well-known/oauth-protected-resource/mcp`;
const problem = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('whoever has no key', () => {
  it.each([
    [undefined, ''],
    ['Bearer annals_nobody_has_this_key', ', error="invalid_token"'],
  ])('is told where to learn how to come in: %s', async (authorization, more) => {
    const answer = await ask(service, 'tools/list', {}, { headers: { authorization } });
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
    expect(answer.headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata()}"${more}`);
    expect(problem(answer.text)['code']).toBe('unauthenticated');
  });

  it('learns it in both places', async () => {
    const places = ['', '/mcp'].map((end) => `/.well-known/oauth-protected-resource${end}`);
    const answers = await Promise.all(places.map((place) => service.client('').get(place)));
    for (const answer of answers)
      expect(answer.json()).toEqual({
        resource: `${service.origin}/mcp`,
        resource_name: 'Annals',
        bearer_methods_supported: ['header'],
        scopes_supported: ['run', 'read'],
        resource_documentation: `${service.origin}/docs`,
      });
  });
});

describe('a key', () => {
  it('sees the tools that its scopes allow', async () => {
    const names = async (...scopes: string[]): Promise<unknown> => {
      const answer = await ask(service, 'tools/list', {}, { headers: bearer(await keyOf(scopes)) });
      const tools = answer.last.result?.['tools'];
      return Array.isArray(tools) ? tools.map(({ name }: { readonly name: string }) => name) : tools;
    };
    const reads = ['read_run', 'read_session', 'list_sessions'];
    expect(await names('run')).toEqual(['run_agent']);
    expect(await names('read')).toEqual(reads);
    expect(await names('run', 'read')).toEqual(['run_agent', ...reads]);
    expect(await names('admin')).toEqual(['run_agent', ...reads]);
  });

  it.each([
    ['read', 'run_agent', { message: 'hi' }, 'run'],
    ['run', 'list_sessions', {}, 'read'],
    ['run', 'read_run', { run_id: 'x', wait_s: 10 }, 'read'],
  ])('with the scope %s calls %s in vain', async (scope, tool, args, needed) => {
    const answer = await call(service, tool, args, { headers: bearer(await keyOf([scope])) });
    expect([answer.status, answer.headers['content-type']]).toEqual([403, 'application/problem+json']);
    const expected = `Bearer error="insufficient_scope", scope="${needed}", resource_metadata="${metadata()}"`;
    expect(answer.headers['www-authenticate']).toBe(expected);
    expect(problem(answer.text)).toMatchObject({ code: 'forbidden' });
  });

  it('that may neither run nor read does not come in', async () => {
    const answer = await ask(service, 'tools/list', {}, { headers: bearer(await keyOf(['datastores'])) });
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="run read"');
  });
});

describe('a page in a browser', () => {
  it.each([
    ['the service itself', () => service.origin, 200],
    ['one that is allowed', () => 'https://app.example.com', 200],
    ['a stranger', () => 'https://evil.example', 403],
    ['no place', () => 'null', 403],
  ])('of %s', async (_, origin, status) => {
    const answer = await ask(service, 'tools/list', {}, { headers: { origin: origin() } });
    expect(answer.status).toBe(status);
    if (status === 403) expect(problem(answer.text)).toMatchObject({ code: 'forbidden' });
  });

  it.each([
    ['evil.example', 403],
    ['localhost:1', 200],
    ['127.0.0.1', 200],
    ['[::1]:3000', 200],
  ])('that calls this machine %s', async (host, status) => {
    expect((await ask(service, 'tools/list', {}, { headers: { host } })).status).toBe(status);
  });

  it('of another place is told what it may send', async () => {
    const answer = await fetch(`${service.origin}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-method',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toMatch(
      /MCP-Protocol-Version, Mcp-Method, Mcp-Name/,
    );
  });
});

describe('what is no message', () => {
  it.each(['GET', 'DELETE', 'PUT'])('%s', async (method) => {
    const answer = await post(service, undefined, { method, headers: { 'content-type': undefined } });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    expect(problem(answer.text)).toMatchObject({ code: 'method_not_allowed' });
  });

  it('is a problem, as everywhere', async () => {
    const codes = async (body: string | undefined, headers = {}) => {
      const answer = await post(service, body, { headers });
      return [answer.status, answer.headers['content-type'], problem(answer.text)['code']];
    };
    const type = 'application/problem+json';
    expect(await codes('{')).toEqual([400, type, 'invalid_request']);
    expect(await codes(undefined)).toEqual([400, type, 'invalid_request']);
    expect(await codes('x'.repeat(65 * 1024))).toEqual([413, type, 'payload_too_large']);
    expect(await codes('{}', { 'content-type': 'text/plain' })).toEqual([
      415,
      type,
      'unsupported_media_type',
    ]);
  });
});

describe('a message of the revision 2026-07-28', () => {
  const errorOf = async (answer: ReturnType<typeof post>) => {
    const { status, last } = await answer;
    return [status, last.error?.code];
  };

  it('is told what is spoken', async () => {
    const { status, last } = await ask(service, 'server/discover');
    expect(status).toBe(200);
    expect(last.result).toMatchObject({
      supportedVersions: expect.arrayContaining([MODERN]),
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      instructions: expect.stringContaining('read_run'),
      resultType: 'complete',
    });
  });

  it.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])('needs the header %s', async (name) => {
    const { headers, body } = modern('tools/call', { name: 'list_sessions', arguments: {} });
    expect(await errorOf(post(service, body, { headers: { ...headers, [name]: undefined } }))).toEqual([
      400, -32020,
    ]);
    const other = name === 'mcp-protocol-version' ? '2025-11-25' : 'something';
    expect(await errorOf(post(service, body, { headers: { ...headers, [name]: other } }))).toEqual([
      400, -32020,
    ]);
  });

  it('of a later revision is told which are known', async () => {
    const { headers, body } = modern('tools/list');
    const text = JSON.stringify(body).replace(MODERN, '2027-01-01');
    const answer = await post(service, text, {
      headers: { ...headers, 'mcp-protocol-version': '2027-01-01' },
    });
    expect([answer.status, answer.last.error?.code]).toEqual([400, -32022]);
    expect(answer.last.error?.data).toMatchObject({ supported: expect.arrayContaining([MODERN]) });
  });

  it('that asks for what there is not', async () => {
    for (const method of ['prompts/list', 'nonsense', 'tasks/list', 'tasks/result', 'subscriptions/listen'])
      expect([method, ...(await errorOf(ask(service, method)))]).toEqual([method, 404, -32601]);
    expect(await errorOf(call(service, 'no_such_tool', {}))).toEqual([200, -32602]);
  });

  it('comes alone', async () => {
    const { headers, body } = modern('tools/list');
    expect(await errorOf(post(service, [body, body], { headers }))).toEqual([400, -32600]);
    expect(await errorOf(post(service, '42', { headers }))).toEqual([400, -32600]);
  });
});

describe('a message of an older revision', () => {
  const initialize = (protocolVersion: unknown) => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  });

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
    [5, '2025-11-25'],
  ])('begins with %s and gets %s', async (asked, got) => {
    const { status, last, headers } = await post(service, initialize(asked));
    expect(status).toBe(200);
    expect(last.result).toMatchObject({ protocolVersion: got, capabilities: { tools: {} } });
    expect(headers['mcp-session-id']).toMatch(/^[0-9a-f]{48}$/);
  });

  it('has ping and tools, and nothing else', async () => {
    const answerOf = async (method: string) => {
      const headers = { 'mcp-session-id': 'whatever', 'mcp-protocol-version': '2025-11-25' };
      return (await post(service, { jsonrpc: '2.0', id: 1, method, params: {} }, { headers })).last;
    };
    expect((await answerOf('ping')).result).toEqual({});
    expect((await answerOf('tools/list')).result?.['tools']).toHaveLength(4);
    for (const method of ['resources/list', 'prompts/list', 'tasks/list', 'logging/setLevel'])
      expect([method, (await answerOf(method)).error?.code]).toEqual([method, -32601]);
  });

  it('that wants no answer gets none', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const { status, text } = await post(service, notification);
    expect([status, text]).toEqual([202, '']);
  });
});
