import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, post } from '../support/mcp-callers/posted.js';
import { newClient, oldClient } from '../support/mcp-callers/sdk-clients.js';
import { Gate, before, refusal, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  close(): Promise<void>;
}

const CLIENTS: readonly (readonly [string, () => Promise<Caller>])[] = [
  ['client 2.4 (auto)', () => newClient(stage.service)],
  ['sdk 1.32', () => oldClient(stage.service)],
];

const textOf = ({ content }: Result): string => content.map(({ text = '' }) => text).join('');
const statusOf = async (run: string): Promise<unknown> =>
  (await stage.client.get(`/runs/${run}`)).json()['status'];

describe.each(CLIENTS)('by %s', (_, connect) => {
  let client: Caller;
  beforeAll(async () => void (client = await connect()));
  afterAll(() => client.close());

  const tool = async (name: string, args: Record<string, unknown> = {}): Promise<Result> =>
    (await client.callTool({ name, arguments: args })) as Result;

  it('the tools are listed', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['run_agent', 'read_run', 'read_session', 'list_sessions']);
    for (const one of tools)
      expect(one).toMatchObject({
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object', additionalProperties: false },
        annotations: { readOnlyHint: one.name !== 'run_agent' },
      });
  });

  it('a run gives its final text, and can be gone on with and read', async () => {
    const first = stage.book.on(stage.message('first'), say('the first answer'));
    const ran = await tool('run_agent', { message: first, mode: 'flash', rules: ['be brief'] });
    const { run_id, session } = ran.structuredContent as { run_id: string; session: string };
    const run = {
      run_id,
      session,
      status: 'completed',
      response: 'the first answer',
      cost: '0',
      error: null,
    };
    expect([textOf(ran), ran.structuredContent, ran.isError ?? false]).toEqual([
      'the first answer',
      run,
      false,
    ]);
    expect(JSON.stringify(stage.book.lastAsk(first))).toContain('be brief');
    const read = await tool('read_run', { run_id });
    expect([read.content, read.structuredContent]).toEqual([ran.content, ran.structuredContent]);

    const second = stage.book.on(stage.message('second'), say('the second answer'));
    const more = await tool('run_agent', { message: second, session, system: 'You are terse.' });
    expect(more.structuredContent).toMatchObject({ session, response: 'the second answer' });
    const asked = JSON.stringify(stage.book.lastAsk(second));
    for (const part of [first, 'the first answer', 'You are terse.']) expect(asked).toContain(part);

    const messages = [
      { type: 'user_message', content: first },
      { type: 'agent_response', content: 'the first answer' },
      { type: 'user_message', content: second },
      { type: 'agent_response', content: 'the second answer' },
    ];
    const all = await tool('read_session', { session });
    expect(all.structuredContent).toEqual({ session, messages, next_cursor: null });
    expect(textOf(all)).toBe(messages.map(({ type, content }) => `${type}: ${content}`).join('\n'));
    const page = await tool('read_session', { session, limit: 3 });
    const { next_cursor: cursor } = page.structuredContent as { next_cursor: string };
    expect(page.structuredContent?.['messages']).toEqual(messages.slice(0, 3));
    const rest = await tool('read_session', { session, cursor });
    expect(rest.structuredContent).toEqual({ session, messages: messages.slice(3), next_cursor: null });

    const sessions = await tool('list_sessions', { limit: 1 });
    const listed = (await stage.client.get('/sessions?limit=1')).json();
    expect(sessions.structuredContent).toEqual(listed);
    expect(JSON.parse(textOf(sessions))).toEqual(listed);
  });

  it('arguments that are wrong are named', async () => {
    const wrong = async (name: string, args: unknown): Promise<string> => {
      const result = await tool(name, args as Record<string, unknown>);
      expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
      return textOf(result);
    };
    expect(await wrong('run_agent', {})).toMatch(/^invalid_request: message: is required/);
    for (const args of [null, [], 'x', 7])
      expect(await wrong('list_sessions', args)).toBe('invalid_request: arguments: must be an object');
    expect(await wrong('run_agent', { message: 'x', mode: 'huge' })).toMatch(/^invalid_request: mode: /);
    expect(await wrong('run_agent', { message: 'x', wait_s: 601 })).toMatch(
      /^invalid_request: wait_s: .*0 to 600/,
    );
    expect(await wrong('run_agent', { message: 'x', mcp_servers: [] })).toMatch(
      /^invalid_request: mcp_servers: /,
    );
    expect(await wrong('read_session', { session: 'x', limit: 201 })).toMatch(/^invalid_request: limit: /);
    expect(await wrong('list_sessions', { cursor: 'nonsense' })).toMatch(/^invalid_request: cursor: /);
    expect(await wrong('run_agent', { message: 'x', session: 'ses_none' })).toMatch(/^not_found: /);
    expect(await wrong('read_session', { session: 'ses_none' })).toMatch(/^not_found: /);
    expect(await wrong('read_run', { run_id: 'none' })).toMatch(/^not_found: /);
  });

  it("another project's are not there", async () => {
    const wish = { name: 'k', scopes: ['run', 'read'], project: 'others' };
    const key = String((await stage.client.post('/api-keys', wish)).json()['key']);
    const theirs = await stage.client.with(key).runToEnd(stage.message('theirs'));
    for (const [name, args] of [
      ['read_run', { run_id: theirs.run_id }],
      ['read_session', { session: theirs.session }],
      ['run_agent', { message: 'x', session: theirs.session }],
    ] as const)
      expect(textOf(await tool(name, args))).toMatch(/^not_found: /);
  });

  it('a run that failed or was cancelled is an error with its record', async () => {
    const message = stage.book.on(stage.message('fails'), refusal(401, 'no'));
    const failed = await tool('run_agent', { message });
    const { error } = failed.structuredContent as { error: { code: string; message: string } };
    expect(failed.structuredContent).toMatchObject({
      status: 'failed',
      error: { code: 'model_unavailable' },
    });
    expect([failed.isError, textOf(failed)]).toEqual([true, `${error.code}: ${error.message}`]);

    const gate = new Gate();
    const endless = stage.book.on(stage.message('endless'), say(before(gate), 'never'));
    const going = await tool('run_agent', { message: endless, wait_s: 0 });
    const { run_id } = going.structuredContent as { run_id: string };
    expect(textOf(going)).toContain('read_run');
    expect([going.isError ?? false, going.structuredContent?.['status']]).toEqual([false, 'running']);
    const reading = tool('read_run', { run_id, wait_s: 30 });
    await stage.client.post(`/runs/${run_id}/cancel`);
    const cancelled = await reading;
    expect(cancelled.structuredContent).toMatchObject({ run_id, status: 'cancelled', error: null });
    expect([cancelled.isError, textOf(cancelled)]).toEqual([true, 'cancelled']);
    gate.open();
  });
});

describe('a run that takes long', () => {
  it('goes on behind wait_s', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('long'), say('so far ', before(gate), 'so good'));
    const since = performance.now();
    const { last } = await call(stage.service, 'run_agent', { message, wait_s: 1 });
    expect(performance.now() - since).toBeGreaterThan(950);
    const result = last.result as unknown as Result & { structuredContent: { run_id: string } };
    const { run_id } = result.structuredContent;
    expect(result.structuredContent).toMatchObject({ status: 'running', error: null });
    expect(textOf(result)).toContain(`run ${run_id} is running`);
    gate.open();
    const read = await call(stage.service, 'read_run', { run_id, wait_s: 30 });
    expect(read.last.result).toMatchObject({
      structuredContent: { status: 'completed', response: 'so far so good' },
    });
  });

  it('tells how far it is, and is kept alive', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('quiet'), say('a', before(gate), 'b'));
    let seen = '';
    const answer = call(
      stage.service,
      'run_agent',
      { message },
      { progressToken: 'token', onPiece: (piece) => (seen += piece) },
    );
    await until(() => /^:/m.test(seen));
    gate.open();
    const { messages, headers, last } = await answer;
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    const told = messages
      .slice(0, -1)
      .map(({ method, params = {} }) => [
        method,
        params['progressToken'],
        params['progress'],
        params['message'],
      ]);
    const { structuredContent = {} } = last.result as unknown as Result;
    const run = String(structuredContent['run_id']);
    const types = [
      'agent_started',
      'agent_response_start',
      'agent_response',
      'agent_step',
      'agent_cost',
      'agent_completed',
    ];
    const expected = [`run ${run}`, ...types].map((text, n) => [
      'notifications/progress',
      'token',
      n + 1,
      text,
    ]);
    expect(told).toEqual(expected);
  });
});

describe('an Idempotency-Key', () => {
  it('leads to the run that it had at the other door', async () => {
    const message = stage.book.on(stage.message('once'), say('only once'));
    const headers = { 'idempotency-key': `once ${message}` };
    const first = await stage.client.runToEnd(message, { headers });
    const { last } = await call(stage.service, 'run_agent', { message }, { headers });
    expect(last.result).toMatchObject({ structuredContent: { run_id: first.run_id, response: 'only once' } });
    const other = await call(stage.service, 'run_agent', { message: 'other' }, { headers });
    expect(other.last.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^idempotency_mismatch: /) }],
    });
    expect(stage.book.asksOf(message, 0)).toBe(1);
  });
});

describe('a client that does not wait any more', () => {
  const endless = (name: string) => {
    const gate = new Gate();
    return { gate, message: stage.book.on(stage.message(name), say('going ', before(gate), 'on')) };
  };
  const runOf = async (message: string): Promise<string> => {
    await until(() => stage.book.asksOf(message, 0) > 0);
    return (await stage.client.all<{ run_id: string }>('/runs'))[0]?.run_id ?? '';
  };

  it('of today ends its run by closing its stream', async () => {
    const { message } = endless('left');
    const gone = new AbortController();
    const answer = call(stage.service, 'run_agent', { message }, { signal: gone.signal });
    const run = await runOf(message);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await until(async () => (await statusOf(run)) === 'cancelled');
  });

  it.each([
    ['', {}],
    [', also of a call with an Idempotency-Key', { 'idempotency-key': 'cut by itself' }],
  ])('of the years before does not, and ends it by saying so%s', async (which, key) => {
    const { message } = endless(`cut${which}`);
    const body = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'run_agent', arguments: { message } },
    });
    const session = (which === '' ? 'b' : 'd').repeat(48);
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    const gone = new AbortController();
    const answer = post(stage.service, body(7), { headers: { ...headers, ...key }, signal: gone.signal });
    const run = await runOf(message);
    gone.abort();
    await expect(answer).rejects.toThrow();
    // Posted again, the call joins its run.
    const joined = post(stage.service, body(7), { headers });
    expect(await statusOf(run)).toBe('running');
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    });
    expect((await post(stage.service, cancel(8), { headers })).status).toBe(202);
    expect(
      (await post(stage.service, cancel(7), { headers: { ...headers, 'mcp-session-id': 'c'.repeat(48) } }))
        .status,
    ).toBe(202);
    expect(await statusOf(run)).toBe('running');
    expect((await post(stage.service, cancel(7), { headers })).status).toBe(202);
    await until(async () => (await statusOf(run)) === 'cancelled');
    expect((await joined).last.result).toMatchObject({
      isError: true,
      structuredContent: { run_id: run, status: 'cancelled' },
    });
    expect(stage.book.asksOf(message, 0)).toBe(1);
  });
});
