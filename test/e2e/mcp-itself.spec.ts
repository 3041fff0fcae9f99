import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EraVerdicts } from '#mcp';
import { McpRun } from '../support/mcp-servers/mcp-run.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start();
});
afterAll(() => service.dispose());

it('an agent can call another one, by the service’s own side of MCP', async () => {
  const serverUrl = `${service.origin}/mcp`;
  const auth = { type: 'bearer', token: ADMIN_KEY } as const;
  const verdicts = new EraVerdicts();
  const run = await McpRun.open([{ serverName: 'annals', serverUrl, auth }], { verdicts });
  try {
    expect(run.notices).toEqual([]);
    expect(verdicts.get(serverUrl, Date.now())).toMatchObject({ era: 'modern' });
    expect(run.names).toEqual(['list_sessions', 'read_run', 'read_session', 'run_agent']);
    const outcome = await run.call('run_agent', { message: 'What is 6 x 7?' });
    expect(outcome.isError).toBeUndefined();
    expect(outcome.content).toContain('6 x 7 is 42');
    expect(await run.call('read_run', { run_id: 'none' })).toMatchObject({ isError: true });
  } finally {
    await run.close();
  }
});
