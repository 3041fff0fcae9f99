import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EraVerdicts } from '#mcp';
import { McpRun } from '../support/mcp-servers/mcp-run.js';
import { freePort } from '../support/free-port.js';
import { pythonForFastMcp } from '../support/python.js';

const MAJORS = [
  [2, { era: 'legacy', version: '2025-11-25' }],
  [4, { era: 'modern', mayChangeTools: expect.any(Boolean) }],
] as const;

for (const [major, verdict] of MAJORS) {
  const python = pythonForFastMcp(major);
  if (python === null)
    process.stdout.write(`there is no python3 with venv, or no fastmcp ${major} for it: it is skipped\n`);

  (python === null ? describe.skip : describe)(`a server made of FastMCP ${major}`, () => {
    let child: ChildProcess;
    let run: McpRun;
    let serverUrl: string;
    const verdicts = new EraVerdicts();
    beforeAll(async () => {
      const port = await freePort();
      serverUrl = `http://127.0.0.1:${port}/mcp`;
      const args = ['test/support/mcp-servers/fastmcp_server.py', String(port)];
      child = spawn(python ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const running = Promise.withResolvers<void>();
      child.stderr?.on('data', (said) => String(said).includes('running on') && running.resolve());
      child.once('exit', () => running.reject(new Error('it has ended')));
      await running.promise;
      run = await McpRun.open([{ serverName: 'shop', serverUrl }], { verdicts });
    });
    afterAll(async () => {
      await run.close();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    });

    test('is found out', () => {
      expect(run.notices).toEqual([]);
      expect(verdicts.get(serverUrl, Date.now())).toEqual(verdict);
      expect(run.mcp.tools.map(({ definition, isRepeatable }) => [definition.name, isRepeatable])).toEqual([
        ['add', true],
        ['fail', false],
        ['sell', false],
        ['work', false],
      ]);
    });

    test('is called', async () => {
      expect(await run.call('add', { a: 2, b: 40 })).toEqual({ content: '42\n{"result":42}' });
      expect(await run.call('work', { steps: 3 })).toEqual({ content: 'done\n{"result":"done"}' });
      expect((await run.call('sell', { product: 'apple' })).content).toMatch(/"sold":1/);
    });

    test('says what is wrong', async () => {
      expect(await run.call('fail')).toEqual({ content: 'no such row', isError: true });
      const wrong = await run.call('add', { a: 'two' });
      expect(wrong).toEqual({ isError: true, content: expect.stringMatching(/valid integer/) });
    });
  });
}
