import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunBody } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';

/** The examples of the documents do something that makes sense before anybody has brought a real model. */
describe('with the built-in model', () => {
  let service: ServiceProcess;
  let shop: ChildProcess;
  let address = '';
  beforeAll(async () => {
    service = await ServiceProcess.start({ env: { EGRESS_ALLOW: '127.0.0.1' } });
    shop = spawn(resolve('node_modules/.bin/node'), ['docs/examples/mcp-server.mjs'], {
      env: { ...process.env, TOKEN: 'sesame', PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(shop.stdout!.setEncoding('utf8'), 'data')) as [string];
    address = /http:\S+/.exec(said)?.[0] ?? '';
  });
  afterAll(async () => {
    const gone = once(shop, 'exit');
    shop.kill();
    await Promise.all([gone, service.dispose()]);
  });

  it('the request of docs/mcp.md sells two apples', async () => {
    const [, json = ''] = /```json\n([^]*?)```/.exec(readFileSync('docs/mcp.md', 'utf8')) ?? [];
    const body = JSON.parse(json.replace('http://127.0.0.1:4100/mcp', address)) as RunBody;
    const { response, messages } = await service.client().runToEnd(body);
    expect(messages.map(({ type }) => type)).toContain('agent_tool_use');
    expect(response).toMatch(/^sell said: 10 left\n/);
  });

  it('docs/examples/workflow.json gives each step an output that names it', async () => {
    const body = JSON.parse(readFileSync('docs/examples/workflow.json', 'utf8')) as RunBody;
    const { response } = await service.client().runToEnd(body);
    const demo = (name: string, what: string): string =>
      `(Demo output of "${name}" for "Lisbon, two days in May": ${what})`;
    expect(response.split('\n\n')[0]?.split('\n')).toEqual([
      'run_workflow said:',
      `- sights completed: ${demo('Sights', 'Name five sights that are worth a visit.')}`,
      `- weather completed: ${demo('Weather', 'Say what the weather is like at that time of the year.')}`,
      `- plan completed: ${JSON.stringify({ days: [demo('Plan', 'Make a plan for each day.')] })}`,
      `- guide completed: ${demo('Guide', 'Write the guide from the plan.')}`,
    ]);
  });
});
