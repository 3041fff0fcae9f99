import { afterEach, describe, expect, test } from '@jest/globals';
import { type FixtureOptions, McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { type RawAnswer, answering } from '../support/mcp-servers/raw-answers.js';

const open: { close(): Promise<void> }[] = [];
const serve = async (options: Partial<FixtureOptions> = {}) => {
  const server = await McpFixture.start({ wire: 'modern', tools: [{ name: 'pay' }], ...options });
  open.push(server);
  return server;
};
const connect = async (server: McpFixture) => {
  const run = await McpRun.open([at(server)]);
  open.push(run);
  return run;
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe('what is nested too deeply', () => {
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  /** As text: here, too, there is no stack for it as a value. */
  const raw =
    (before: string, after: string): RawAnswer =>
    (response, { id }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${String(id)},"result":{${before}${nested}${after}}}`);
    };
  const TOLD = '[a result that is nested too deeply to be shown; the call was carried out]';

  test.each([
    ['structured content', '"structuredContent":', '', TOLD],
    [
      'structured content beside a text',
      '"content":[{"type":"text","text":"a"}],"structuredContent":',
      '',
      `a\n${TOLD}`,
    ],
    ['a result of another form', '"rows":', '', TOLD],
  ])('%s is told as that', async (_, before, after, told) => {
    const run = await connect(await serve(answering({ 'tools/call': raw(before, after) })));
    expect(await run.call('pay')).toMatchObject({ content: told });
    expect((await run.call('pay')).isError).toBeUndefined();
  });

  test('a question fails the call, in words', async () => {
    const question =
      '"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"default":';
    const run = await connect(await serve(answering({ 'tools/call': raw(question, '}}}}') })));
    expect((await run.call('pay')).content).toContain('does not say what can be answered');
  });

  test('a schema costs its tool', async () => {
    const list = raw('"tools":[{"name":"a"},{"name":"b","inputSchema":{"default":', '}}]');
    const server = await serve(answering({ 'tools/list': list }));
    const run = await connect(server);
    expect(run.names).toEqual(['a']);
    expect(run.mcp.warnings).toMatchObject([{ code: 'tools_left_out', tools: ['b'] }]);
  });
});
