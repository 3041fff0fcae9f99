import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolOutcome } from '#agent';
import type { ServerTask } from '#domain';
import { McpRun, never } from '../support/mcp-servers/mcp-run.js';
import { TaskServer, WORKING, completed } from '../support/mcp-servers/task-server.js';

let server: TaskServer;
let run: McpRun;
beforeEach(async () => {
  server = await TaskServer.start();
  run = await McpRun.open([server.entry], { limits: { minPollMs: 5, maxPollMs: 40, taskSilenceMs: 300 } });
});
afterEach(async () => {
  await run.close();
  await server.close();
});

async function started(): Promise<ServerTask> {
  const { task } = await run.call('dig', { deep: true });
  return task!;
}

const DIG = { id: 'c1', name: 'dig', arguments: '{}', server: 'quarry', tool: 'dig' };

const followed = async (task?: ServerTask): Promise<ToolOutcome> =>
  run.mcp.servers[0]!.follow(DIG, task ?? (await started()), never);

describe('a call of which a server makes a task', () => {
  it('is asked for until it has ended, as often as the server says, within bounds', async () => {
    server.ttlMs = 60_000;
    const task = await started();
    expect(task).toMatchObject({ id: 't1', poll_ms: 10 });
    expect(task.expires_at! - task.started_at).toBe(60_000);
    server.answerOf = (_, asked) => (asked < 3 ? WORKING : completed('gold'));
    expect(await followed(task)).toEqual({ content: 'gold' });
    expect(server.asked).toEqual(['tasks/get t1', 'tasks/get t1', 'tasks/get t1']);
    server.pollIntervalMs = 1e12;
    expect((await started()).poll_ms).toBe(40);
    server.pollIntervalMs = undefined;
    expect((await started()).poll_ms).toBe(40);
    expect(server.calls).toHaveLength(3);
  });

  it('is asked for again where an answer is lost, or says nothing', async () => {
    server.answerOf = (_, asked) => {
      if (asked === 1) return 'cut';
      if (asked === 2) return { error: { code: -32603, message: 'busy' } };
      return asked === 3 ? { result: { status: 'puzzled' } } : completed('gold');
    };
    expect(await followed()).toEqual({ content: 'gold' });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['fails', { result: { status: 'failed', error: { code: -1, message: 'rock' } } }, /quarry" said: rock$/],
    ['is cancelled', { result: { status: 'cancelled' } }, /has cancelled the task$/],
    [
      'is unknown',
      { error: { code: -32602, message: 'who?' } },
      /^outcome unknown: .*does not know the task/,
    ],
    ['is silent', 'cut', /^outcome unknown: .*does not answer any more/],
  ] as const)('and that %s is told as that', async (_, answer, told) => {
    server.answerOf = () => answer;
    expect(await followed()).toMatchObject({ content: expect.stringMatching(told), isError: true });
  });

  it('is not known any more when its time is over', async () => {
    const task = { ...(await started()), expires_at: Date.now() - 1 };
    expect((await followed(task)).content).toMatch(/^outcome unknown: .*has forgotten the task/);
    expect(server.asked).toEqual([]);
  });
});
