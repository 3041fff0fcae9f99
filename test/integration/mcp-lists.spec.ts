import { afterEach, describe, expect, test } from '@jest/globals';
import type { McpPorts } from '#mcp';
import type { McpServerConfig } from '#agent';
import { type FixtureOptions, McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { answering, json } from '../support/mcp-servers/raw-answers.js';

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

/** Lists its tools so. */
const listing = (result: () => object) =>
  answering({ 'tools/list': (...asked) => json(200, { result: result() })(...asked) });

describe('a list of tools', () => {
  const listed = (tools: unknown, more: object = {}) => listing(() => ({ tools, ...more }));

  test('keeps what is usable of what is broken', async () => {
    const tools = [
      null,
      7,
      {},
      { name: '' },
      { name: 'a', inputSchema: 'no', annotations: 3 },
      { name: 'a' },
      { name: 'b' },
    ];
    const run = await connect(at(await serve(listed(tools))));
    expect(run.names).toEqual(['a', 'b']);
    expect(run.mcp.warnings).toMatchObject([
      { code: 'tools_left_out', tools: [1, 2, 3, 4].map((entry) => `entry ${entry} of its list`) },
      { code: 'tools_left_out', tools: ['a'] },
    ]);
    expect(run.notices[1]).toBe(
      'Tools of the tool server "fixture" are not available, because others of their names stand before them: a.',
    );
  });

  test.each([
    [undefined, {}],
    [null, {}],
    ['tools', {}],
    [{ a: 1 }, {}],
    [[{ name: 'a' }], { resultType: 'input_required' }],
    [[{ name: 'a' }], { resultType: 'task' }],
    [[{ name: 'a' }], { resultType: 'odd' }],
  ])(
    'that is none (%p, %j) leaves the server out, which ends a run that requires it',
    async (tools, more) => {
      // Earlier revisions know of no other kinds of results.
      const wire = 'resultType' in more ? 'modern' : 'streamable';
      const server = { ...at(await serve({ wire, ...listed(tools, more) })), required: true };
      const run = await connect(server);
      expect(run.names).toEqual([]);
      expect(run.mcp.warnings).toMatchObject([{ code: 'tool_server_unavailable', server: 'fixture' }]);
      expect(run.mcp.missing).toContain('gave something else than a list of its tools');
    },
  );

  test('of 2026-07-28 that is none leaves the server out, too', async () => {
    const run = await connect(at(await serve({ wire: 'modern', ...listed('x') })));
    expect(run.notices).toEqual([expect.stringContaining('gave something else than a list of its tools')]);
  });

  test('that goes round and round is cut, which is said', async () => {
    const run = await connect(at(await serve(listed([{ name: 'a' }], { nextCursor: 'again' }))));
    expect(run.names).toEqual(['a']);
    expect(run.notices[0]).toContain('more tools than can be used');
  });

  test('without an end is cut, which is said', async () => {
    let n = 0;
    const endless = listing(() => ({
      tools: [{ name: `a${n}` }, { name: `b${n}` }],
      nextCursor: String(n++),
    }));
    const run = await connect(at(await serve(endless)), { limits: { maxTools: 7 } });
    expect(run.names).toHaveLength(7);
    expect(run.mcp.warnings).toMatchObject([{ code: 'tools_left_out', tools: ['b3'] }]);
    expect(run.notices[0]).toContain('the first 7');
  });
});
