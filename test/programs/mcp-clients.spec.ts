import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyProxy } from '../support/mcp-callers/key-proxy.js';
import { npmTool } from '../support/npm-tool.js';
import { PythonProgram, pythonForMcp } from '../support/python.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);
const NODE = resolve('node_modules/.bin/node');
const CONFORMANCE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

const python = pythonForMcp();
if (python === null)
  process.stdout.write('there is no python3 with venv, or no mcp for it: its calls of /mcp are skipped\n');
const inspector = npmTool('@modelcontextprotocol/inspector', '2.12.0', 'clients/launcher/build/index.js');
if (inspector === null)
  process.stdout.write('npm has no @modelcontextprotocol/inspector: its calls of /mcp are skipped\n');

const TOOLS = ['run_agent', 'read_run', 'read_session', 'list_sessions'];
const ANSWER = expect.stringContaining('6 x 7 is 42');

let service: ServiceProcess;
beforeAll(async () => void (service = await ServiceProcess.start()));
afterAll(() => service.dispose());

(inspector === null ? describe.skip : describe)(
  'the configuration in the README, by the inspector 2.12',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'annals-inspector-'));
    const config = join(folder, 'mcp.json');
    beforeAll(() => {
      const [, text = ''] = /```json mcp\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
      expect(text).toContain('http://localhost:3000/mcp');
      const own = text.replace('http://localhost:3000', service.origin).replace('annals_…', ADMIN_KEY);
      writeFileSync(config, own);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const ask = async (era: string, ...words: string[]): Promise<Record<string, unknown>> => {
      const options = ['--cli', '--config', config, '--server', 'annals', '--protocol-era', era, '--quiet'];
      const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
      const { stdout } = await run(NODE, [inspector ?? '', ...options, '--format', 'json', ...words], {
        env,
      });
      const answer = JSON.parse(stdout) as Record<string, unknown>;
      return (answer['result'] ?? answer) as Record<string, unknown>;
    };

    it.each(['legacy', 'auto', 'modern'])('in the era %s', async (era) => {
      const listed = (await ask(era, '--method', 'tools/list', '--strict'))['tools'] as { name: string }[];
      expect(listed.map(({ name }) => name)).toEqual(TOOLS);
      const args = JSON.stringify({ message: 'What is 6 x 7?', wait_s: 30 });
      const calls = ['--method', 'tools/call', '--tool-name', 'run_agent', '--tool-args-json', args];
      expect(await ask(era, ...calls)).toMatchObject({
        content: [{ type: 'text', text: ANSWER }],
        structuredContent: { status: 'completed', response: ANSWER },
      });
    });
  },
);

(python === null ? describe.skip : describe)('pypi mcp', () => {
  it.each(['auto', 'legacy'])('in the mode %s', async (mode) => {
    const program = new PythonProgram(python ?? '');
    const file = 'test/support/mcp-callers/call_annals.py';
    const said = JSON.parse(await program.output(file, `${service.origin}/mcp`, ADMIN_KEY, mode)) as {
      readonly run: { readonly run_id: string };
    };
    const { run_id } = said.run;
    expect(said).toMatchObject({
      tools: TOOLS,
      text: ANSWER,
      run: { status: 'completed', response: ANSWER, error: null },
      read: { run_id, status: 'completed' },
      messages: expect.arrayContaining([{ type: 'user_message', content: 'What is 6 x 7?' }]),
      wrong: [true, expect.stringMatching(/^invalid_request: message: /)],
      told: expect.arrayContaining([`run ${run_id}`, 'agent_started', 'agent_completed']),
    });
  });
});

describe('the official conformance suite', () => {
  let proxy: KeyProxy;
  beforeAll(async () => void (proxy = await KeyProxy.open(service)));
  afterAll(() => proxy.close());

  // The others ask for tools that only its own reference server has.
  it.each([
    'server-initialize',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
  ])('%s', async (scenario) => {
    const words = ['server', '--url', `${proxy.origin}/mcp`, '--scenario', scenario];
    const { stdout } = await run(NODE, [CONFORMANCE, ...words]);
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  });
});
