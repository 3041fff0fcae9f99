import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from '../support/cluster.js';
import { type Posted, WITH_TASKS, ask, call, post } from '../support/mcp-callers/posted.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

let cluster: Cluster;
beforeAll(async () => void (cluster = await Cluster.open({ replicas: 2 })));
afterAll(() => cluster.close());

const replica = (n: number): ServiceProcess => cluster.services[n] as ServiceProcess;
const terms = { capabilities: WITH_TASKS };

function heldRun(message: string): { gate: Gate; message: string } {
  const gate = new Gate();
  const turn = (attempt: number) => (attempt === 0 ? say('so far', before(gate)) : say('in the end'));
  return { gate, message: cluster.book.on(message, turn) };
}

const task = async (n: number, method: string, taskId: string): Promise<Posted['last']> =>
  (await ask(replica(n), method, { taskId }, terms)).last;

describe('with several replicas', () => {
  it.each([
    ['cancelled elsewhere', {}],
    ['cancelled elsewhere, of a key', { 'idempotency-key': 'cancelled elsewhere' }],
  ])('an older client says to any of them that it does not wait any more: %s', async (name, key) => {
    const { message } = heldRun(name);
    const session = ('idempotency-key' in key ? 'f' : 'e').repeat(48);
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    const params = { name: 'run_agent', arguments: { message } };
    const asked = { jsonrpc: '2.0', id: 'one', method: 'tools/call', params };
    const answer = post(replica(0), asked, { headers: { ...headers, ...key } });
    await until(() => cluster.book.asksOf(message, 0) > 0);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'one' } };
    expect((await post(replica(1), cancel, { headers })).status).toBe(202);
    expect((await answer).last.result).toMatchObject({
      isError: true,
      structuredContent: { status: 'cancelled' },
    });
  });

  it('a Task is read and cancelled on any of them', async () => {
    const { message } = heldRun('task elsewhere');
    const { last } = await call(replica(0), 'run_agent', { message }, terms);
    const taskId = String(last.result?.['taskId']);
    const [here, there] = [await task(0, 'tasks/get', taskId), await task(1, 'tasks/get', taskId)];
    expect(there.result).toMatchObject({ status: 'working' });
    expect(there.result?.['createdAt']).toBe(here.result?.['createdAt']);
    await task(1, 'tasks/cancel', taskId);
    await until(async () => (await task(0, 'tasks/get', taskId)).result?.['status'] === 'cancelled');
  });

  it('a Task outlives the replica that it began on', async () => {
    const { message } = heldRun('task of the dead');
    const { last } = await call(replica(0), 'run_agent', { message }, terms);
    const taskId = String(last.result?.['taskId']);
    await replica(0).kill('SIGKILL');
    let answer: Posted['last'] = {};
    await until(async () => (answer = await task(1, 'tasks/get', taskId)).result?.['status'] !== 'working');
    expect(answer.result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'in the end' }] },
    });
  });
});
