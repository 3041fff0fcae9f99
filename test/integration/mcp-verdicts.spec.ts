import { afterEach, describe, expect, test } from '@jest/globals';
import { EraVerdicts, type McpPorts } from '#mcp';
import { SystemClock } from '#platform';
import { type FixtureOptions, McpFixture } from '../support/mcp-servers/mcp-fixture.js';
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

const methodsOf = (server: McpFixture): string[] =>
  server.requests.map((entry) => entry.replace('POST ', ''));
const MODERN = ['server/discover', 'tools/list'];
const LEGACY = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];

describe('what was found out', () => {
  test('about today’s revision holds until it is refuted', async () => {
    const verdicts = new EraVerdicts();
    const server = await serve({ wire: 'modern' });
    await connect(server, { verdicts });
    await connect(server, { verdicts });
    expect(methodsOf(server)).toEqual([...MODERN, 'tools/list']);
    // Another server has taken its place.
    const older = await serve();
    server.intercept = (request, response, body) => {
      void fetch(older.url, {
        method: request.method ?? '',
        headers: request.headers as Record<string, string>,
        body,
      })
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(await answer.text());
        })
        .catch(() => response.destroy());
      return true;
    };
    const run = await connect(server, { verdicts });
    expect(run.names).toEqual(['add']);
    expect(methodsOf(older)).toEqual(['tools/list', ...LEGACY]);
  });

  test('about an earlier revision holds for ten minutes', async () => {
    let now = 1_000_000;
    const verdicts = new EraVerdicts();
    const clock = Object.assign(new SystemClock(), { now: () => now });
    const server = await serve();
    const session = LEGACY.slice(1);
    await connect(server, { verdicts, clock });
    now += 599_999;
    await connect(server, { verdicts, clock });
    expect(methodsOf(server)).toEqual([...LEGACY, ...session]);
    now += 1;
    await connect(server, { verdicts, clock });
    expect(methodsOf(server)).toEqual([...LEGACY, ...session, ...LEGACY]);
  });

  test('is forgotten when the server cannot be used', async () => {
    const verdicts = new EraVerdicts();
    const server = await serve({ wire: 'modern' });
    await connect(server, { verdicts });
    await server.close();
    expect((await connect(server, { verdicts })).notices).toHaveLength(1);
    await server.listen();
    await connect(server, { verdicts });
    expect(methodsOf(server)).toEqual([...MODERN, ...MODERN]);
  });
});
