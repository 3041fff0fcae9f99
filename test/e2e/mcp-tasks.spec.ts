import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { type TaskEnabledSession, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { type Posted, WITH_TASKS, ask, call } from '../support/mcp-callers/posted.js';
import { newClient } from '../support/mcp-callers/sdk-clients.js';
import { taskSession } from '../support/mcp-callers/task-session.js';
import { Gate, before, refusal, say, call as toolCall } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const terms = { capabilities: WITH_TASKS };
const run = (message: string, more: object = {}) =>
  call(stage.service, 'run_agent', { message, ...more }, terms);
const task = (method: string, taskId: string, more: object = {}): Promise<Posted> =>
  ask(stage.service, method, { taskId, ...more }, terms);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function longRun(name: string, ...rest: Parameters<typeof say>): { gate: Gate; message: string } {
  const gate = new Gate();
  return { gate, message: stage.book.on(stage.message(name), say('so far ', before(gate), ...rest)) };
}

describe('a client that knows Tasks', () => {
  it('gets the result itself where that is there within a second', async () => {
    const { last } = await run(stage.book.on(stage.message('short'), say('soon')));
    expect(last.result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'soon' }],
      structuredContent: { status: 'completed' },
    });
  });

  it('gets a Task otherwise, and its result by asking', async () => {
    const { gate, message } = longRun('long', 'so good');
    const { last } = await run(message);
    const taskId = String(last.result?.['taskId']);
    expect(last.result).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^run_ses_/),
      status: 'working',
      ttlMs: null,
      pollIntervalMs: 1000,
      createdAt: expect.stringMatching(TIME),
      lastUpdatedAt: expect.stringMatching(TIME),
    });
    const working = await task('tasks/get', taskId);
    expect(working.last.result).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
      statusMessage: expect.stringContaining('runs'),
    });
    expect((await task('tasks/update', taskId, { inputResponses: {} })).last.result).toMatchObject({
      resultType: 'complete',
    });
    gate.open();
    let done = working;
    await until(async () => (done = await task('tasks/get', taskId)).last.result?.['status'] === 'completed');
    const { createdAt } = last.result as { createdAt: string };
    expect(done.last.result).toMatchObject({
      resultType: 'complete',
      createdAt,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: 'so far so good' }],
        structuredContent: { run_id: taskId, status: 'completed', response: 'so far so good' },
      },
    });
    // For ever, and after a restart, too.
    await stage.service.restart();
    const again = await task('tasks/get', taskId);
    expect(again.last.result).toEqual(done.last.result);
  });

  it('waits no longer than it wants to', async () => {
    const { gate, message } = longRun('impatient', '.');
    const { last } = await run(message, { wait_s: 0 });
    expect(last.result).toMatchObject({ resultType: 'task', status: 'working' });
    gate.open();
  });

  it('cancels', async () => {
    const { message } = longRun('cancelled', '.');
    const taskId = String((await run(message)).last.result?.['taskId']);
    expect((await task('tasks/cancel', taskId)).last.result).toMatchObject({ resultType: 'complete' });
    let last: Posted['last'] = {};
    await until(async () => (last = (await task('tasks/get', taskId)).last).result?.['status'] !== 'working');
    expect(last.result).toMatchObject({ taskId, status: 'cancelled' });
    expect(last.result).not.toHaveProperty('result');
  });

  it('is told of a failure as of a result', async () => {
    const gate = new Gate();
    const fails = stage.book.on(stage.message('fails'), async () => {
      await gate.opened;
      return refusal(401, 'no');
    });
    const taskId = String((await run(fails)).last.result?.['taskId']);
    gate.open();
    let last: Posted['last'] = {};
    await until(async () => (last = (await task('tasks/get', taskId)).last).result?.['status'] !== 'working');
    expect(last.result).toMatchObject({
      status: 'completed',
      result: {
        isError: true,
        structuredContent: { status: 'failed', error: { code: 'model_unavailable' } },
      },
    });
  });

  it('is told what a run waits for that somebody has to decide on', async () => {
    const message = stage.book.on(
      stage.message('waits'),
      say(...toolCall(0, 'c', 'look_up', {})),
      say('done'),
    );
    const tools = [{ name: 'look_up', description: 'd', parameters: { type: 'object' } }];
    const headers = { accept: 'application/json' };
    const waiting = (await stage.client.post('/', { message, tools }, { headers })).json<{
      run_id: string;
      session: string;
    }>();
    expect((await task('tasks/get', waiting.run_id)).last.result).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('tool'),
    });
    const read = await call(stage.service, 'read_run', { run_id: waiting.run_id });
    expect(read.last.result).toMatchObject({ structuredContent: { status: 'waiting' } });
    const behind = await run(stage.message('behind'), { session: waiting.session });
    const queued = String(behind.last.result?.['taskId']);
    expect((await task('tasks/get', queued)).last.result).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('turn'),
    });
    await task('tasks/cancel', queued);
    // Cancelled at once; its events are written when its turn comes.
    expect((await task('tasks/get', queued)).last.result).toMatchObject({ status: 'cancelled' });
  });
});

describe('a Task', () => {
  it('of another project is not there, as one that never was', async () => {
    const { gate, message } = longRun('ours', '.');
    const taskId = String((await run(message)).last.result?.['taskId']);
    const wish = { name: 'k', scopes: ['run', 'read'], project: 'others' };
    const key = String((await stage.client.post('/api-keys', wish)).json()['key']);
    const headers = { authorization: `Bearer ${key}` };
    for (const id of [taskId, 'run_ses_none_none', 'nonsense'])
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
        const { status, last } = await ask(stage.service, method, { taskId: id }, { ...terms, headers });
        expect([method, status, last.error?.code]).toEqual([method, 200, -32602]);
      }
    expect((await task('tasks/get', taskId)).last.result).toMatchObject({ status: 'working' });
    gate.open();
  });

  it('is for those who know what it is', async () => {
    const { gate, message } = longRun('unknown', '.');
    const taskId = String((await run(message)).last.result?.['taskId']);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { status, last } = await ask(stage.service, method, { taskId });
      expect([method, status, last.error?.code]).toEqual([method, 400, -32021]);
    }
    gate.open();
  });

  it('is cancelled by keys that may run, and read by both kinds', async () => {
    const { gate, message } = longRun('scopes', '.');
    const taskId = String((await run(message)).last.result?.['taskId']);
    const as = async (scope: string, method: string) => {
      const key = String(
        (await stage.client.post('/api-keys', { name: 'k', scopes: [scope] })).json()['key'],
      );
      const headers = { authorization: `Bearer ${key}` };
      return (await ask(stage.service, method, { taskId }, { ...terms, headers })).status;
    };
    expect(await as('read', 'tasks/get')).toBe(200);
    expect(await as('run', 'tasks/get')).toBe(200);
    expect(await as('read', 'tasks/cancel')).toBe(403);
    expect(await as('run', 'tasks/cancel')).toBe(200);
    gate.open();
  });
});

describe('ext-tasks 0.2.2', () => {
  let client: Client;
  let session: TaskEnabledSession;
  beforeAll(async () => {
    client = await newClient(stage.service);
    session = taskSession(client, stage.service);
  });
  afterAll(async () => {
    await session.close();
    await client.close();
  });

  it('takes a result and a Task alike', async () => {
    const short = await session.callTool('run_agent', {
      message: stage.book.on(stage.message('e'), say('at once')),
    });
    expect(resultFromTaskOutcome((await short.settle()).outcome)).toMatchObject({
      content: [{ text: 'at once' }],
    });
    const { gate, message } = longRun('ext', 'in the end');
    const long = await session.callTool('run_agent', { message });
    const settled = long.settle({ onEvent: ({ type }) => (type === 'task' ? gate.open() : undefined) });
    expect(long.kind).toBe('task');
    expect(resultFromTaskOutcome((await settled).outcome)).toMatchObject({
      content: [{ text: 'so far in the end' }],
      structuredContent: { status: 'completed' },
    });
  });
});
