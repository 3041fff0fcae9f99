import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandsOf, likeCheckout, shell, withPorts } from '../support/docs-shell.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { freePort, freePorts } from '../support/free-port.js';

/** What the pages say as if the reader's service ran at its usual place, said to that of the test. */
describe('the commands of', () => {
  let service: ServiceProcess;
  const folder = mkdtempSync(join(tmpdir(), 'annals-docs-'));
  beforeAll(async () => {
    likeCheckout(folder);
    service = await ServiceProcess.start({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  });
  afterAll(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  let shopPort = 0;
  async function said(page: string): Promise<string> {
    const [receiver = 0, chat = 0] = await freePorts(2);
    const ports = { 3000: service.port, 4000: receiver, 4100: shopPort, 4200: chat };
    const commands = commandsOf(page).map((block) =>
      withPorts(block, ports).replaceAll('/tmp/', `${folder}/`),
    );
    return shell(folder, commands, { ANNALS_KEY: ADMIN_KEY });
  }

  it('README.md', async () => {
    const out = await said('README.md');
    // The stream, and what is read of it again.
    expect(out.match(/"type":"agent_completed"/g)).toHaveLength(2);
    expect(out).toContain('{"type":"user_message","content":"What is 6 x 7?"}');
  });

  it('docs/tutorial.md', async () => {
    const out = await said('docs/tutorial.md');
    expect(out).toMatch(/^run_\w+ 1 agent_started/m);
    expect(out).toContain('"status":"finished"');
    expect(out).toContain('7 x 8 is 56');
    expect(/search_manuals found.*2900/.exec(out.replaceAll('\\n', ' '))).not.toBeNull();
    expect(out).toContain('"step_id":"guide"');
    // The run, what is read of it again, the callback, the question and the workflow.
    expect(out.match(/agent_completed/g)).toHaveLength(5);
  });

  it('docs/openai.md', async () => {
    const out = await said('docs/openai.md');
    expect(out).toMatch(/"object":"response".*"status":"completed".*6 x 7 is 42/);
    expect(out).toMatch(/\}6 x 7 is 42/);
    expect(out).toMatch(/^7 x 8 is 56.* \| 8 x 9 is 72/m);
    expect(out).toContain('annals: a record of events, year by year');
  });

  it('docs/approvals.md', async () => {
    shopPort = await freePort();
    const env = { ...process.env, TOKEN: 'sesame', PORT: String(shopPort) };
    const shop = spawn('node_modules/.bin/node', ['docs/examples/mcp-server.mjs'], { env });
    try {
      await once(shop.stdout, 'data');
      const out = await said('docs/approvals.md');
      // Sold once each, because somebody said yes.
      expect(out).toMatch(/agent_action_resolved.*\\"reason\\":\\"in stock\\"/);
      expect(out.match(/agent_tool_response.*10 left/g)).toHaveLength(1);
      expect(out).toMatch(/May the agent call sell with {"product":"pear","pieces":3}\? http/);
      expect(out).toMatch(/^approve: act_/m);
      expect(out.match(/agent_tool_response.*0 left/g)).toHaveLength(2);
      expect(out.match(/agent_completed/g)).toHaveLength(2);
    } finally {
      shop.kill();
    }
  });

  it('docs/replay.md', async () => {
    const out = await said('docs/replay.md');
    expect(out.match(/^runs +20$/gm)).toHaveLength(2);
    expect(out.match(/^same answer .*/gm)).toEqual([
      'same answer        0 (0.0 %)',
      'same answer        20 (100.0 %)',
    ]);
    expect(out.match(/^same tool calls +20 \(100.0 %\)$/gm)).toHaveLength(2);
    const tokens = Array.from(out.matchAll(/^output tokens +(\d+) +(\d+)$/gm), ([, ...both]) =>
      both.map(Number),
    );
    expect(tokens[0]![1]).toBeLessThan(tokens[0]![0]! / 2);
    expect(tokens[1]![1]).toBe(tokens[1]![0]);
    const { same_response, turns } = JSON.parse(out.slice(out.indexOf('{"turns"'))) as {
      same_response: boolean;
      turns: Record<'a' | 'b', { response: string }>[];
    };
    expect(same_response).toBe(false);
    const [before, after] = [turns[0]!.a.response, turns[0]!.b.response];
    expect(after).toMatch(/^\d+ x 7 is \d+\.$/);
    expect(before).toMatch(`${after} I am the built-in demo model`);
  });

  it('docs/console.md', async () => {
    const out = await said('docs/console.md');
    expect(out).toMatch(/"url":"http:\/\/\S+\/console\/welcome#key_[\w.-]+","expires_at":"\d{4}-/);
  });

  it('docs/money.md', async () => {
    const out = await said('docs/money.md');
    expect(out).toMatch(/\{"day":"\d{4}-\d\d-\d\d","metadata\.customer":null,"runs":\d+/);
    expect(out.match(/"scope":"project","id":"default","limit":"25","period":"month"/g)).toHaveLength(2);
  });

  it.each(['docs/workflows.md', 'docs/final-output.md'])('%s', async (page) => {
    expect(await said(page)).toContain('"type":"agent_completed"');
  });
});
