import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelFailure, type ModelRequest } from '#agent';
import { type RunConfig, sessionStream } from '#domain';
import { CALLER, House, type HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';
import type { StartedRun } from './start/start-run-request.js';

let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const config: RunConfig = {};
const long = (n: number): string => String(n).padEnd(400, '.');
const isForSummary = ({ messages }: ModelRequest): boolean =>
  messages.at(-1)?.role === 'user' && messages.at(-1)!.content.startsWith('Write a summary');
/** Looks something up, turn after turn, until the request with this number. */
const looks =
  (until: number, last: readonly ClientStep[] = [text('ok'), done()]) =>
  (request: ModelRequest, n: number): readonly ClientStep[] => {
    if (isForSummary(request)) return [text('in short'), done()];
    return n < until ? [done(toolCall(`c${n}`, 'look', { at: long(n) }))] : last;
  };
const open = (options: Partial<HouseOptions> = {}) =>
  new House(temp, `compacted ${++count}`, {
    script: looks(0),
    context: 1_000,
    tools: [new LedgerTool('look')],
    ...options,
  });
const typesOf = async (session: string, type: string) =>
  (await temp.read(sessionStream(session))).filter((event) => event.type === type);

async function retry(house: House, { run, requested }: StartedRun): Promise<StartedRun> {
  const { project, actor } = CALLER;
  const command = await house.core.retries.commandOf({ run, requested, mcpServers: [] }, project, { actor });
  return house.core.startRun.start(command);
}

describe('a run that is compacted', () => {
  it('and fails is gone on with where it ended, keeps its message, and is told the same in another process', async () => {
    const failing = [new ModelFailure('refused', 'no')];
    const house = open({ script: looks(7, failing) });
    const failed = await house.run('the task', { config });
    const { session } = failed;
    expect(await typesOf(session, 'agent_compacted')).toHaveLength(1);
    const next = open({ script: looks(6) });
    const retried = await retry(next, failed);
    await next.ended(retried);
    expect(next.told(0)).toEqual(house.told(-1));
    expect((await typesOf(session, 'agent_compacted')).length).toBeGreaterThan(1);
    expect(next.told(-1).slice(0, 2)).toEqual(['user in short', 'user the task']);
    await next.run('more', { session, config });
    const cold = open();
    await cold.run('and more', { session, config });
    expect(cold.told(0).slice(0, -2)).toEqual(next.told(-1));
    expect(cold.told(0).slice(0, 2)).toEqual(['user in short', 'user the task']);
  });

  it('waits before its summary where its budget is spent', async () => {
    const house = open({ script: looks(9), model: 'gpt-4o-mini' });
    // Of four turns, behind which the context is full.
    const run = await house.start('the task', { config: { budget: '0.000018' } });
    await house.heard(run.session, ({ type }) => type === 'run_parked');
    expect(await typesOf(run.session, 'agent_action_required')).toHaveLength(1);
    expect(house.model.requests.map(isForSummary)).toEqual([false, false, false, false]);
    const more = open({ script: looks(9), model: 'gpt-4o-mini' });
    await house.cancel(run);
    await more.run('more', { session: run.session, config });
    expect(isForSummary(more.model.requests[0]!)).toBe(true);
  });

  it('is cancelled while the summary is written, and says nothing of it', async () => {
    const gate = new Gate();
    const script = (request: ModelRequest, n: number): readonly ClientStep[] =>
      isForSummary(request) ? [text('in'), gate] : looks(99)(request, n);
    const house = open({ script });
    const run = await house.start('the task', { config });
    await gate.reached;
    await house.cancel(run);
    await house.ended(run);
    expect(await typesOf(run.session, 'agent_compacted')).toEqual([]);
    expect((await house.types(run.session)).at(-1)).toBe('agent_cancelled');
    await house.run('more', { session: run.session, config: { compaction: false } });
    expect(await house.history(run.session)).not.toContain('agent_response in');
  });

  it('is compacted before its final output, too, where the model finds that too long', async () => {
    let isFirst = true;
    const script = (request: ModelRequest, n: number): readonly ClientStep[] => {
      if (request.responseFormat === undefined) return looks(5)(request, n);
      if (!isFirst) return [text('{"n":1}'), done()];
      isFirst = false;
      return [new ModelFailure('too_long', 'no')];
    };
    const house = open({ script });
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const { session } = await house.run('the task', { config: { final_output: { name: 'o', schema } } });
    const types = await house.types(session);
    expect(types.slice(-3)).toEqual(['agent_final_output', 'agent_cost', 'agent_completed']);
    expect(types.lastIndexOf('agent_compacted')).toBeGreaterThan(types.lastIndexOf('agent_step'));
    expect(house.told(-1).slice(0, 2)).toEqual(['user in short', 'user the task']);
  });

  it('calls no tool with what it answers instead of a summary, and is forced to none', async () => {
    const script = (request: ModelRequest, n: number): readonly ClientStep[] => {
      if (!isForSummary(request)) return looks(8)(request, n);
      expect(request.toolChoice).toBe('none');
      expect(request.forcedTool).toBeUndefined();
      return [text('in short'), done(toolCall('x', 'look', { at: 'summary' }))];
    };
    const look = new LedgerTool('look');
    const house = open({ script, tools: [look] });
    const { session } = await house.run('the task', { config: { tool_choice: { name: 'look' } } });
    expect((await typesOf(session, 'agent_compacted')).length).toBeGreaterThan(0);
    const uses = await typesOf(session, 'agent_tool_use');
    expect(JSON.stringify(uses.map(({ data }) => data))).not.toContain('summary');
  });
});
