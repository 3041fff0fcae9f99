import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Posted, WITH_TASKS, ask, call, post } from '../support/mcp-callers/posted.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const LEGACY = { 'mcp-session-id': 'd'.repeat(48), 'mcp-protocol-version': '2025-11-25' };
const legacyCall = (id: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'run_agent', arguments: { message } },
});

/** A run that waits in its first turn; asked again, as after a restart, it ends. */
function heldRun(name: string): { gate: Gate; message: string } {
  const gate = new Gate();
  const turn = (attempt: number) => (attempt === 0 ? say('so far', before(gate)) : say('in the end'));
  return { gate, message: stage.book.on(stage.message(name), turn) };
}

const runOf = (answer: Posted): { run_id: string; status: string } =>
  answer.last.result?.['structuredContent'] as { run_id: string; status: string };

const ended = async (run_id: string): Promise<unknown> =>
  (await call(stage.service, 'read_run', { run_id, wait_s: 60 })).last.result?.['structuredContent'];

describe('a stop of the service', () => {
  it('answers the calls that are held, and cancels nothing', async () => {
    const [one, other] = [heldRun('modern'), heldRun('legacy')];
    const calls = [
      call(stage.service, 'run_agent', { message: one.message }),
      post(stage.service, legacyCall(1, other.message), { headers: LEGACY }),
    ];
    await until(() => stage.book.asksOf(one.message, 0) + stage.book.asksOf(other.message, 0) === 2);
    const restarted = stage.service.restart('SIGTERM');
    const answers = await Promise.all(calls);
    for (const { last } of answers)
      expect(last.result).toMatchObject({
        content: [{ text: expect.stringMatching(/^The run run_\S+ is running\. Ask read_run/) }],
        structuredContent: { status: 'running', error: null },
      });
    await restarted;
    for (const answer of answers)
      expect(await ended(runOf(answer).run_id)).toMatchObject({
        status: 'completed',
        response: 'in the end',
      });
  });

  it('of the hard kind cancels nothing either: a call that is sent again joins its run', async () => {
    const [one, other] = [heldRun('killed modern'), heldRun('killed legacy')];
    const lost = [
      call(stage.service, 'run_agent', { message: one.message }),
      post(stage.service, legacyCall(2, other.message), { headers: LEGACY }),
    ].map((answer) =>
      answer.then(
        () => 'answered',
        () => 'lost',
      ),
    );
    await until(() => stage.book.asksOf(one.message, 0) + stage.book.asksOf(other.message, 0) === 2);
    await stage.service.restart('SIGKILL');
    expect(await Promise.all(lost)).toEqual(['lost', 'lost']);
    const joined = await post(stage.service, legacyCall(2, other.message), { headers: LEGACY });
    expect(runOf(joined)).toMatchObject({ status: 'completed', response: 'in the end' });
    const runs = await stage.client.all<{ run_id: string; status: string }>('/runs');
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'completed'));
    expect(stage.book.asksOf(other.message, 0)).toBe(2);
    expect(await ended(runs[1]?.run_id ?? '')).toMatchObject({ status: 'completed' });
  });

  it('does not end a Task', async () => {
    const { message } = heldRun('task');
    const terms = { capabilities: WITH_TASKS };
    const { last } = await call(stage.service, 'run_agent', { message }, terms);
    const taskId = String(last.result?.['taskId']);
    await stage.service.restart('SIGKILL');
    let answer: Posted['last'] = {};
    await until(async () => {
      answer = (await ask(stage.service, 'tasks/get', { taskId }, terms)).last;
      return answer.result?.['status'] !== 'working';
    });
    expect(answer.result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'in the end' }], structuredContent: { run_id: taskId } },
    });
  });
});

describe('a key that is revoked', () => {
  it('ends the calls that are held, and not their runs', async () => {
    const made = await stage.client.post('/api-keys', { name: 'k', scopes: ['run', 'read'] });
    const { id, key } = made.json<{ id: string; key: string }>();
    const { gate, message } = heldRun('revoked');
    const headers = { authorization: `Bearer ${key}` };
    const answer = call(stage.service, 'run_agent', { message }, { headers });
    await until(() => stage.book.asksOf(message, 0) === 1);
    await stage.client.call('DELETE', `/api-keys/${id}`);
    expect((await answer).messages).toEqual([]);
    gate.open();
    const [run] = await stage.client.all<{ run_id: string }>('/runs');
    expect(await ended(run?.run_id ?? '')).toMatchObject({ status: 'completed', response: 'so far' });
  });
});
