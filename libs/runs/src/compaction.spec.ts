import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ModelRequest, ModelFailure } from '#agent';
import { type RunConfig, sessionStream } from '#domain';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { isForSummary, long, talked, talks } from '../../../test/support/long-talk.js';
import {
  SessionTape,
  compacted,
  completed,
  opened,
  response,
  responseStart,
  step,
  turn,
} from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';
import { contextAsOf } from './context-as-of.js';

let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const open = (options: Partial<HouseOptions> = {}) =>
  new House(temp, `compaction ${++count}`, { script: talks(), context: 1_000, ...options });
const plain: RunConfig = {};
const compactions = async (session: string) =>
  (await temp.read(sessionStream(session))).filter(({ type }) => type === 'agent_compacted');

describe('a context that is full', () => {
  it('is summed up before the turn, whose request begins with the summary', async () => {
    const house = open();
    const session = await talked(house, 5);
    const requests = house.model.requests;
    expect(requests.map(isForSummary)).toEqual([false, false, false, false, true, false]);
    const [asked, told] = requests.slice(-2);
    expect(asked?.messages.slice(1, -1)).toHaveLength(9);
    expect(house.told(-1)[0]).toBe('user in short');
    expect(house.told(-1).at(-1)).toBe(`user ${long('ask 4 ')}`);
    // What fits a quarter stays.
    expect(
      house
        .told(-1)
        .slice(1, -1)
        .map((line) => line.slice(0, 14)),
    ).toEqual(['user ask 3 ...', 'assistant answ']);
    expect(told?.tools.map(({ name }) => name)).toEqual(['read_history']);
    const types = await house.types(session);
    const at = types.indexOf('agent_compacted');
    expect(types.slice(at - 1, at + 3)).toEqual([
      'agent_started',
      'agent_compacted',
      'model_called',
      'agent_response_start',
    ]);
  });

  it('is on the log as what it stands for, with what it cost', async () => {
    const house = open({ model: 'gpt-4o-mini' });
    const session = await talked(house, 5);
    const events = await temp.read(sessionStream(session));
    const at = events.findIndex(({ type }) => type === 'agent_compacted');
    expect(events[at]?.data).toMatchObject({ content: 'in short', from: '3' });
    const { through } = events[at]!.data as { through: string };
    expect(events[Number(through)]).toMatchObject({ type: 'agent_step' });
    expect(events[at + 1]).toMatchObject({ type: 'model_called', data: { kind: 'compaction' } });
    const cost = events.findLast(({ type }) => type === 'agent_cost')?.data as { cost: string };
    const calls = events.slice(at - 2).filter(({ type }) => type === 'model_called');
    expect(calls).toHaveLength(2);
    expect(Number(cost.cost)).toBeGreaterThan(0);
  });

  it('is the same in a process that reads it from the log, and as of any event', async () => {
    const house = open();
    const session = await talked(house, 12);
    await house.run('last', { session, config: plain });
    expect(await compactions(session)).not.toHaveLength(0);
    const cold = open();
    await cold.run('more', { session, config: plain });
    const told = cold.model.requests[0]!.messages.slice(1);
    expect(told.slice(0, -2)).toEqual(house.model.requests.at(-1)!.messages.slice(1));
    const events = await temp.read(sessionStream(session));
    const before = events.findLast(({ type }) => type === 'agent_compacted')!;
    const asOf = await contextAsOf(temp.log, { session, at: before.revision - 2 });
    expect(asOf[0]?.content).not.toBe(before.data);
  });

  it('reads only back to the newest compaction', async () => {
    const tape = new SessionTape().add(undefined, opened);
    for (let n = 0; n < 1_000; n++)
      tape.addRun(`run_ses_far_${n}`, long(n), responseStart, response(long(n)), turn(), step(1), completed);
    tape.addRun('run_ses_far_now', 'now', compacted('in short', 3, tape.next - 20));
    tape.add('run_ses_far_now', responseStart, response('yes'), turn(), step(1), completed);
    await appendTape(temp, 'ses_far', tape);
    const cold = open();
    await cold.run('more', { session: 'ses_far', config: plain });
    expect(cold.told(0)[0]).toBe('user in short');
    expect(cold.told(0)).toHaveLength(9);
    expect(cold.log.eventsRead).toBeLessThan(tape.next / 5);
  });

  it('with `compaction: false` loses its oldest turns, a quarter at a time', async () => {
    const house = open();
    const session = await talked(house, 12, { compaction: false });
    expect(house.model.requests.filter(isForSummary)).toEqual([]);
    const left = await compactions(session);
    expect(left.length).toBeGreaterThan(1);
    for (const { data } of left) expect(data).toMatchObject({ content: '', from: '3' });
    const chars = house.told(-1).join('').length;
    expect(chars).toBeLessThan(3_400);
    expect(chars).toBeGreaterThan(1_600);
    expect(house.told(-1)[0]?.startsWith('user ask')).toBe(true);
  });

  it('is measured in the tokens that the model counts', async () => {
    const counts = (request: ModelRequest): readonly ClientStep[] => {
      if (isForSummary(request)) return [text('in short'), done()];
      const chars = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      const usage = { inputTokens: chars, outputTokens: 5, estimated: false };
      return [text(long('answer ')), { kind: 'end', finishReason: 'stop', toolCalls: [], usage }];
    };
    const house = open({ script: counts, context: 2_000 });
    const session = await talked(house, 4);
    // One character is one token: with four each there would be none.
    expect((await compactions(session)).length).toBe(1);
  });
});

describe('a model that cannot sum up', () => {
  const broken: [string, readonly ClientStep[]][] = [
    ['fails', [new ModelFailure('refused', 'no')]],
    ['finds it too long', [new ModelFailure('too_long', 'no')]],
    ['answers nothing', [done()]],
    ['answers white space', [text(' \n '), done()]],
    ['calls a tool instead', [done(toolCall('c1', 'look'))]],
    ['answers more than a quarter', [text('x'.repeat(1_200)), done()]],
    ['answers for ever', Array.from({ length: 400 }, () => text('x'.repeat(100)))],
  ];
  it.each(broken)('that %s stops no run: the oldest turns are left out', async (_, summary) => {
    const house = open({ script: talks(summary), tools: [new LedgerTool('look')] });
    const session = await talked(house, 8);
    const left = await compactions(session);
    expect(left.length).toBeGreaterThan(0);
    for (const { data } of left) expect(data).toMatchObject({ content: '' });
    const ends = (await house.types(session)).filter((type) => type === 'agent_completed');
    expect(ends).toHaveLength(8);
    expect(house.errors).toEqual([]);
  });

  it('and for which nothing can be left out is not asked again and again', async () => {
    const look = new LedgerTool('look');
    const house = open({
      tools: [look],
      script: (request, n) => {
        if (isForSummary(request)) return [done()];
        return n > 12
          ? [text('ok'), done()]
          : [text(''), done(toolCall('c1', 'look', { at: 'x'.repeat(1_650) }))];
      },
    });
    const { session } = await house.run('go', { config: plain });
    expect((await house.types(session)).at(-1)).toBe('agent_completed');
    expect(house.model.requests.filter(isForSummary).length).toBeLessThan(8);
  });
});

describe('a run that is compacted while it runs', () => {
  const steps =
    (turns: number) =>
    (request: ModelRequest, n: number): readonly ClientStep[] => {
      if (isForSummary(request)) return [text('in short'), done()];
      return n < turns ? [text(''), done(toolCall(`c${n}`, 'look', { at: long(n) }))] : [text('ok'), done()];
    };

  it('keeps its message, its newest turns, and calls with their results', async () => {
    const house = open({ script: steps(16), tools: [new LedgerTool('look')] });
    const { session } = await house.run('the task', { config: plain });
    expect((await compactions(session)).length).toBeGreaterThan(1);
    const [summary, task, turn, result] = house.model.requests.at(-1)!.messages.slice(1);
    expect([summary?.content, task?.content]).toEqual(['in short', 'the task']);
    expect(turn).toMatchObject({ role: 'assistant' });
    expect(result).toMatchObject({ role: 'tool' });
    const cold = open();
    await cold.run('more', { session, config: plain });
    expect(cold.told(0).slice(0, 2)).toEqual(['user in short', 'user the task']);
  });

  it('goes on from the log where its process dies behind the compaction', async () => {
    const gate = new Gate();
    let summaries = 0;
    const script = (request: ModelRequest, n: number): readonly ClientStep[] => {
      if (isForSummary(request)) summaries++;
      const isBehind = summaries > 0 && !isForSummary(request);
      return isBehind ? [text('half'), gate] : steps(99)(request, n);
    };
    const house = open({ script, tools: [new LedgerTool('look')] });
    const run = await house.start('the task', { config: plain });
    await gate.reached;
    house.core.sessions.active().forEach((active) => active.stop());
    await house.settled();
    const next = open({ script: steps(0), tools: [new LedgerTool('look')] });
    await next.core.recovery.resume(run.session);
    await next.ended(run);
    expect(next.model.requests).toHaveLength(1);
    expect(next.told(0)).toEqual(house.told(-1));
    expect(await compactions(run.session)).toHaveLength(1);
  });

  it('asks for the summary again where its process dies before that is on the log', async () => {
    const gate = new Gate();
    const script = (request: ModelRequest, n: number): readonly ClientStep[] =>
      isForSummary(request) ? [text('in'), gate] : steps(99)(request, n);
    const house = open({ script, tools: [new LedgerTool('look')] });
    const run = await house.start('the task', { config: plain });
    await gate.reached;
    house.core.sessions.active().forEach((active) => active.stop());
    await house.settled();
    const next = open({ script: steps(0), tools: [new LedgerTool('look')] });
    await next.core.recovery.resume(run.session);
    await next.ended(run);
    expect(next.model.requests.map(isForSummary)).toEqual([true, false]);
    expect(next.told(0)).toEqual(house.told(-1));
  });
});
