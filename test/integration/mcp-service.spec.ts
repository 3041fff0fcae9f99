import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTCOME_UNKNOWN } from '#domain';
import { type FixtureOptions, McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { filesWith } from '../support/search-bytes.js';
import type { PublicJson, ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

const TOKEN = 'sesame-Op3n-7788';
const auth = { type: 'bearer', token: TOKEN } as const;

interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly retryable: boolean } | null;
}

describe('a run with MCP servers, in the service itself', () => {
  let stage: Stage;
  let client: ServiceClient;
  const open: McpFixture[] = [];
  /** What must not be found anywhere but at the servers. */
  const secrets = [TOKEN];

  beforeAll(async () => {
    stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
    client = stage.client;
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  afterAll(() => stage.close());

  async function serve(options: FixtureOptions): Promise<McpFixture> {
    const server = await McpFixture.start({ token: TOKEN, ...options });
    open.push(server);
    secrets.push(addressOf(server));
    return server;
  }
  const addressOf = (server: McpFixture): string => new URL(server.url).host;
  const entry = (server: McpFixture, serverName: string) => ({ serverName, serverUrl: server.url, auth });
  const systemOf = (message: string): string => {
    const content = stage.book.lastAsk(message)?.messages[0]?.content;
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
  const eventsOf = async (run: string): Promise<PublicJson[]> => {
    const stream = await client.follow(`/runs/${run}`);
    return (await stream.closed()).records.map(({ event }) => event);
  };
  const runOf = async (run: string): Promise<Run> => (await client.get(`/runs/${run}`)).json<Run>();
  async function start(message: string, more: object, session?: string): Promise<Run> {
    const answer = await client.post(session ? `/?session=${session}` : '/', {
      message,
      background: true,
      ...more,
    });
    expect(answer.status).toBe(202);
    return answer.json<Run>();
  }

  it('calls their tools by the names that it offers, equal ones told apart', async () => {
    const shop = await serve({ tools: [{ name: 'find' }, { name: 'sell' }] });
    const library = await serve({ tools: [{ name: 'find' }], wire: 'sse' });
    const message = stage.book.on(
      stage.message('find'),
      say(...call(0, 'c1', 'sell', { n: 2 }), ...call(1, 'c2', 'library_find', { of: 'x' })),
      say('Sold.'),
    );
    const ended = await client.runToEnd({
      message,
      mcp_servers: [entry(shop, 'shop'), entry(library, 'library')],
    });
    expect(ended).toMatchObject({ status: 'completed', response: 'Sold.' });
    const offered = stage.book.lastAsk(message)?.tools?.map((tool) => tool.function.name);
    expect(offered?.toSorted()).toEqual(['library_find', 'sell', 'shop_find']);
    const uses = ended.messages.filter(({ type }) => type === 'agent_tool_use');
    expect(uses.map(({ content }) => JSON.parse(content) as unknown)).toEqual([
      { tool: 'sell', input: { n: 2 } },
      { tool: 'library_find', input: { of: 'x' } },
    ]);
    expect([shop.calls, library.calls]).toEqual([['sell {"n":2}'], ['find {"of":"x"}']]);
  });

  it('tells the agent which server is not there, and goes on', async () => {
    const gone = await serve({ tools: [] });
    const here = await serve({ tools: [{ name: 'stock' }] });
    await gone.close();
    open.splice(open.indexOf(gone), 1);
    const message = stage.book.on(stage.message('gone'), say('Without.'));
    const ended = await client.runToEnd({
      message,
      mcp_servers: [entry(gone, 'closed shop'), entry(here, 'b')],
    });
    expect(ended.status).toBe('completed');
    expect(systemOf(message)).toContain('The tool server "closed shop"');
    expect(systemOf(message)).not.toContain('"b"');
    for (const secret of secrets) expect(systemOf(message)).not.toContain(secret);
  });

  it('ends in tool_servers_lost when the service is killed, an open call told as unknown before', async () => {
    const never = () => new Promise<never>(() => undefined);
    const shop = await serve({
      tools: [
        { name: 'sell', run: never },
        { name: 'leak', run: () => text(`${TOKEN} of ${shop.url}`) },
      ],
    });
    const mcp_servers = [entry(shop, 'shop')];
    const turn = say(...call(0, 'c1', 'leak'), ...call(1, 'c2', 'sell'));
    const message = stage.book.on(stage.message('lost'), turn);
    const { run_id, session } = await start(message, { mcp_servers });
    await shop.until(() => shop.calls.length === 2);
    await stage.service.restart('SIGKILL');
    const ends = (await eventsOf(run_id)).slice(-5);
    expect(ends.map(({ type }) => type)).toEqual([
      'agent_tool_response',
      'agent_tool_response',
      'agent_step',
      'agent_cost',
      'agent_error',
    ]);
    expect(JSON.parse(ends[1]?.content ?? '')).toEqual({ tool: 'sell', content: OUTCOME_UNKNOWN });
    expect(ends.at(-1)).toMatchObject({ code: 'tool_servers_lost', retryable: true });
    expect(await runOf(run_id)).toMatchObject({ status: 'failed', error: { code: 'tool_servers_lost' } });

    const again = stage.book.on(stage.message('again'), say(...call(0, 'c3', 'leak')), say('Now.'));
    expect(await client.runToEnd({ message: again, mcp_servers }, { session })).toMatchObject({
      status: 'completed',
      response: 'Now.',
    });
  });

  it('comes to its end in a stop, within the time that it has', async () => {
    const shop = await serve({ tools: [{ name: 'stock' }] });
    const gate = new Gate();
    const message = stage.book.on(
      stage.message('stop'),
      say(before(gate), ...call(0, 'c1', 'stock')),
      say('In time.'),
    );
    const { run_id } = await start(message, { mcp_servers: [entry(shop, 'shop')] });
    await gate.reached;
    stage.service.signal('SIGTERM');
    gate.open();
    expect(await stage.service.exited).toEqual({ code: 0, signal: null });
    await stage.service.launch();
    expect((await eventsOf(run_id)).slice(-4).map(({ type, content }) => content ?? type)).toEqual([
      'In time.',
      'agent_step',
      'agent_cost',
      'agent_completed',
    ]);
    expect(shop.calls).toHaveLength(1);
  });

  it('leaves nothing of their entries but the names, in any byte that the service wrote', async () => {
    expect(secrets.length).toBeGreaterThan(5);
    expect(await filesWith(stage.service.dataDir, secrets)).toEqual([]);
    for (const secret of secrets) expect(stage.service.output).not.toContain(secret);
    // What stands in the open is found, so the search finds; the names are content, and sealed.
    expect(await filesWith(stage.service.dataDir, ['agent_tool_use'])).not.toEqual([]);
    expect(await filesWith(stage.service.dataDir, ['closed shop'])).toEqual([]);
  });
});
