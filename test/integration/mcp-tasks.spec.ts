import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OUTCOME_UNKNOWN, type ServerTask, sessionStream } from '#domain';
import type { StartedRun } from '#runs';
import { CALLER, type House } from '../support/house.js';
import { leftToServer, openQuarry, startDigging } from '../support/quarry.js';
import { TaskServer, WORKING, completed } from '../support/mcp-servers/task-server.js';
import { RecordedRun } from '../support/recorded-run.js';
import { unavailable } from '../support/scripted-log.js';
import { TempLog } from '../support/temp-log.js';
import { until } from '../support/until.js';

let server: TaskServer;
beforeEach(async () => {
  server = await TaskServer.start();
});
afterEach(() => server.close());

describe('a run with a task at a server', () => {
  let temp: TempLog;
  beforeAll(async () => {
    temp = await TempLog.open();
  });
  afterAll(() => temp.close());

  const open = (): House => openQuarry(temp);
  const start = (house: House): Promise<StartedRun> => startDigging(house, server);
  const parked = (house: House, of: StartedRun): Promise<void> => leftToServer(house, of, server);
  const events = (session: string) => temp.read(sessionStream(session));
  const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };

  async function decide(house: House, session: string, decision: 'supply' | 'deny'): Promise<void> {
    const asked = await house.heard(session, ({ type }) => type === 'agent_action_required');
    expect(asked.data).toMatchObject({ kind: 'tool_servers' });
    const { action_id: id } = asked.data as { action_id: string };
    await house.heard(session, ({ type }) => type === 'run_parked');
    const request = decision === 'supply' ? { decision, mcpServers: [server.entry] } : { decision };
    await house.core.actions(() => index).resolve(id, request, CALLER);
  }

  it('ends with its result; the log holds the task before it is asked for, sealed with the rest', async () => {
    const house = open();
    server.answerOf = (_, asked) => (asked < 3 ? WORKING : completed('gold'));
    const of = await start(house);
    await house.ended(of);
    const recorded = await events(of.session);
    const started = recorded.find(({ type }) => type === 'tool_task_started');
    expect(started?.data).toMatchObject({ call_id: 'c1', server: 'quarry', task: { id: 't1', poll_ms: 10 } });
    const types = recorded.map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('tool_'))).toEqual([
      'tool_task_started',
      'tool_call_completed',
    ]);
    expect(house.told(-1).at(-1)).toBe('tool gold');
    expect(server.calls.map(({ arguments: input }) => input)).toEqual([{ deep: true }]);
  });

  it('whose process dies asks for its servers, and the task is asked for, never called again', async () => {
    const first = open();
    const of = await start(first);
    await first.heard(of.session, ({ type }) => type === 'tool_task_started');
    for (const session of first.core.sessions.active()) session.stop();
    await first.settled();

    const second = open();
    await second.core.recovery.resume(of.session);
    server.answerOf = () => completed('gold');
    await decide(second, of.session, 'supply');
    expect((await second.ended(of)).type).toBe('agent_completed');
    expect(second.told(-1).at(-1)).toBe('tool gold');
    expect(server.calls).toHaveLength(1);
    expect(server.asked).not.toContain('tasks/cancel t1');
  });

  it('that nobody gives its servers does not know what became of the call', async () => {
    const first = open();
    const of = await start(first);
    await first.heard(of.session, ({ type }) => type === 'tool_task_started');
    for (const session of first.core.sessions.active()) session.stop();
    await first.settled();
    const second = open();
    await second.core.recovery.resume(of.session);
    await decide(second, of.session, 'deny');
    expect((await second.ended(of)).data).toMatchObject({ code: 'tool_servers_lost' });
    const results = (await events(of.session)).filter(({ type }) => type === 'tool_call_completed');
    expect(results.map(({ data }) => (data as { content: string }).content)).toEqual([OUTCOME_UNKNOWN]);
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    [{}, ['t1'], 1],
    [{ idempotentHint: true }, ['t1', 't2'], 2],
    [{ readOnlyHint: true }, ['t1', 't2'], 2],
  ])('that its server forgets: a tool that says %j is asked for %j', async (annotations, tasks, calls) => {
    server.annotations = annotations;
    server.answerOf = () => ({ error: { code: -32602, message: 'no such task' } });
    const house = open();
    const of = await start(house);
    expect((await house.ended(of)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toMatch(/^tool outcome unknown: .*does not know the task any more/);
    expect(server.calls).toHaveLength(calls);
    const started = (await events(of.session)).filter(({ type }) => type === 'tool_task_started');
    expect(started.map(({ data }) => (data as { task: ServerTask }).task.id)).toEqual(tasks);
  });

  it('that its server forgets and does again has the second result', async () => {
    server.annotations = { idempotentHint: true };
    server.answerOf = (task) =>
      task === 't1' ? { error: { code: -32602, message: 'no' } } : completed('gold');
    const house = open();
    const of = await start(house);
    expect((await house.ended(of)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toBe('tool gold');
  });

  it('that takes long waits, drives nothing, and goes on when the server has something to say', async () => {
    const house = open();
    const of = await start(house);
    await parked(house, of);
    const asked = server.asked.length;
    await until(() => server.asked.length > asked + 3);
    expect((await events(of.session)).at(-1)?.type).toBe('run_parked');
    house.clock.advance(10_000_000);
    server.answerOf = () => completed('gold');
    expect((await house.ended(of)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toBe('tool gold');
    expect(server.calls).toHaveLength(1);
    const types = (await events(of.session)).map(({ type }) => type);
    expect(types.filter((type) => /^run_(parked|woken|claimed)|action/.test(type))).toEqual([
      'run_claimed',
      'run_parked',
      'run_woken',
      'run_claimed',
    ]);
    await house.settled();
    expect(house.core.sessions.active()).toEqual([]);
  });

  it('is asked as often as the server wants, and its result, which came while the run waited, is not asked for again', async () => {
    const times: number[] = [];
    let isDone = false;
    let told = 0;
    server.pollIntervalMs = 300;
    server.answerOf = () => {
      times.push(performance.now());
      // It tells of its end once.
      if (isDone && told++ > 0) return { error: { code: -32602, message: 'no such task' } };
      const { result } = (isDone ? completed('gold') : WORKING) as { result: object };
      return { result: { ...result, pollIntervalMs: 300 } };
    };
    const house = open();
    const of = await start(house);
    await parked(house, of);
    await until(() => times.length > 2);
    isDone = true;
    expect((await house.ended(of)).type).toBe('agent_completed');
    expect([house.told(-1).at(-1), told]).toEqual(['tool gold', 1]);
    const pauses = times.slice(1).map((time, at) => time - times[at]!);
    expect(Math.min(...pauses)).toBeGreaterThan(250);
  });

  it('ends while whoever drives the run leaves it: what the server is just telling is not lost', async () => {
    let told = 0;
    const house = open();
    const of = await start(house);
    await house.heard(of.session, ({ type }) => type === 'tool_task_started');
    server.answerOf = () => {
      house.clock.advance(2_000);
      return told++ === 0 ? completed('gold') : { error: { code: -32602, message: 'no such task' } };
    };
    await house.ended(of);
    expect([house.told(-1).at(-1), told]).toEqual(['tool gold', 1]);
  });

  it('whose server told of another task, or of none that it knows, is asked again', async () => {
    server.answerOf = (_, asked) => {
      const { result } = completed(asked === 1 ? 'of somebody else' : 'gold') as { result: object };
      return { result: { ...result, taskId: asked === 1 ? 't2' : 't1' } };
    };
    const house = open();
    const of = await start(house);
    await house.ended(of);
    expect(house.told(-1).at(-1)).toBe('tool gold');
  });

  it('that waits for its server asks for it at once where the process that asked is gone', async () => {
    const first = open();
    const of = await start(first);
    await parked(first, of);
    for (const session of first.core.sessions.active()) session.stop();
    await first.settled();
    const second = open();
    await second.core.recovery.resume(of.session);
    server.answerOf = () => completed('gold');
    const action = await second.heard(of.session, ({ type }) => type === 'agent_action_required');
    await until(async () => (await events(of.session)).at(-1)?.type === 'run_parked');
    const request = { decision: 'supply' as const, mcpServers: [server.entry] };
    const { action_id: id } = action.data as { action_id: string };
    await second.core.actions(() => index).resolve(id, request, CALLER);
    expect((await second.ended(of)).type).toBe('agent_completed');
    expect(server.calls).toHaveLength(1);
  });

  it('is asked for also where the log cannot be written to when the process that asked is found to be gone', async () => {
    const first = open();
    const of = await start(first);
    await parked(first, of);
    for (const session of first.core.sessions.active()) session.stop();
    await first.settled();
    const second = open();
    second.log.next(unavailable, unavailable);
    await second.core.recovery.resume(of.session);
    // Each time the journal rests, and then whoever asked it tries again.
    for (const ms of [200, 300, 200, 300]) expect(await second.clock.pass(500)).toBe(ms);
    server.answerOf = () => completed('gold');
    await decide(second, of.session, 'supply');
    expect((await second.ended(of)).type).toBe('agent_completed');
    expect(server.calls).toHaveLength(1);
  });

  it('is asked for, and called once, wherever its process dies', async () => {
    const house = open();
    server.answerOf = (_, asked) => (asked < 3 ? WORKING : completed('gold'));
    const of = await start(house);
    await house.ended(of);
    const recorded = await RecordedRun.of(temp, of);
    const started = recorded.events.findIndex(({ type }) => type === 'tool_task_started');
    const turn = recorded.events.findIndex(({ type }) => type === 'model_turn_completed');
    const last = recorded.events.findLastIndex(({ type }) => type === 'model_turn_completed');
    for (const length of recorded.boundaries.filter((at) => at > turn && at < recorded.events.length)) {
      const calls = server.calls.length;
      const left = await recorded.copy(length);
      const next = open();
      await next.core.recovery.resume(left.session);
      // The call is open, or the next turn is not complete.
      if (length > started && length <= last) await decide(next, left.session, 'supply');
      const end = await next.ended(left);
      const results = (await events(left.session))
        .filter(({ type }) => type === 'tool_call_completed')
        .map(({ data }) => (data as { content: string }).content);
      // Without its servers a run whose call has no result yet, and no task, cannot go on.
      const isLost = length <= started;
      expect({ length, results, calls: server.calls.length - calls }).toEqual({
        length,
        results: [isLost ? OUTCOME_UNKNOWN : 'gold'],
        calls: 0,
      });
      expect(end.type).toBe(isLost ? 'agent_error' : 'agent_completed');
    }
  });
});
