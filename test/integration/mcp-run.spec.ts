import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RunCancelled } from '#agent';
import { DriveFixture } from '../support/drive-fixture.js';
import { McpFixture, type FixtureOptions, text as said } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { type ClientScript, done, text, toolCall } from '../support/scripted-client.js';
import { TempLog } from '../support/temp-log.js';

let temp: TempLog;
let count = 0;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  temp = await TempLog.open();
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
afterAll(() => temp.close());

const TOKEN = 'tok-en-of-the-caller';

/** A whole run on a real log, with its tools at a real server. */
async function start(options: FixtureOptions, script: ClientScript) {
  const server = await McpFixture.start({ token: TOKEN, ...options });
  open.push(server);
  const mcp = await McpRun.open([{ ...at(server), auth: { type: 'bearer', token: TOKEN } }]);
  open.push(mcp);
  const { tools } = mcp.mcp;
  const fixture = await DriveFixture.open(temp, `ses_mcp${++count}`, { script, tools });
  return { server, mcp, fixture };
}

describe('a run with an MCP server', () => {
  test('goes on, whatever the server does, and leaves nothing of it but its name', async () => {
    const { server, mcp, fixture } = await start(
      {
        tools: [
          { name: 'say', run: () => said(`${TOKEN} is at ${server.url}`) },
          { name: 'fail', run: () => Promise.reject(new Error(`refused ${TOKEN} at ${server.url}`)) },
          { name: 'die', run: () => (server.cut(), new Promise<never>(() => undefined)) },
        ],
      },
      [
        [done(toolCall('1', 'say', { a: 1 }), toolCall('2', 'fail'))],
        [done(toolCall('3', 'die'))],
        [text('well'), done()],
      ],
    );
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'completed' });
    const told = fixture.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(told?.map(({ content }) => content)).toEqual([
      '*** is at ***',
      'the tool server "fixture" said: refused *** at ***',
      'outcome unknown: the tool server "fixture" broke the connection before its answer was complete, so the call may or may not have taken effect',
    ]);
    const log = (await fixture.lines()).join('\n');
    expect(log).toContain('agent_tool_response');
    expect(log + mcp.logger.lines.join('\n')).not.toMatch(/tok-en|127\.0\.0\.1/);
  });

  test('that is cancelled cancels its calls at the server', async () => {
    const { server, mcp, fixture } = await start(
      {
        tools: [
          {
            name: 'wait',
            run: ({ signal }) =>
              new Promise((resolve) => signal.addEventListener('abort', () => resolve(said('late')))),
          },
        ],
      },
      [[done(toolCall('1', 'wait'), toolCall('2', 'wait'))]],
    );
    const ended = fixture.driver.drive();
    await server.until(() => server.calls.length === 2);
    fixture.controller.abort(new RunCancelled());
    await expect(ended).resolves.toEqual({ kind: 'cancelled' });
    await mcp.close();
    expect(server.cancelled).toEqual(['wait', 'wait']);
    expect(server.openSessions).toBe(0);
  });
});
