import { describe, expect, it } from '@jest/globals';
import {
  type ApprovalPolicy,
  type CallState,
  type Draft,
  MAX_OPEN_ACTIONS,
  NOT_MADE,
  OUTCOME_UNKNOWN,
  type RunConfig,
  type TurnToolCall,
  actionId,
} from '#domain';
import { CallRecord } from '../../../../test/support/call-record.js';
import { LOCAL_SCHEMAS } from '../../../../test/support/local-schemas.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { turn } from '../../../../test/support/session-tape.js';
import { asks, begun, resolves } from '../../../../test/support/waiting-tape.js';
import { CallGate } from './call-gate.js';
import { callerTool } from './caller-tool.js';
import type { Tool } from './tool.js';
import { type CallTargets, ToolRunner } from './tool-runner.js';

const call = (id: string, name = 'pay', args = '{}'): TurnToolCall => ({ id, name, arguments: args });
const settled = () => new Promise(setImmediate);

const turnOf = (tool_calls: readonly TurnToolCall[]) => {
  const { data } = turn() as Extract<Draft, { type: 'model_turn_completed' }>;
  return { ...data, finish_reason: 'tool_calls', tool_calls };
};

/** A runner over what the log holds of the run: nothing, or what another process left. */
function runnerOf(approvals: ApprovalPolicy, tools: readonly Tool[], ...left: readonly Draft[]) {
  return runnerWith(approvals, { tools: () => tools, servers: () => [] }, ...left);
}

function runnerWith(approvals: ApprovalPolicy, targets: CallTargets, ...left: readonly Draft[]) {
  const config: RunConfig = { approvals };
  const record = new CallRecord(config);
  record.write(left);
  const clock = new ManualClock();
  const runner = new ToolRunner(record, { clock }, new CallGate(approvals, LOCAL_SCHEMAS, 'p'), targets);
  const offered = runner.offer().map(({ name }) => name);
  const open = (): readonly CallState[] => record.state.calls.filter(({ result }) => result === null);
  const run = (signal = new AbortController().signal) => runner.run(open, signal);
  const said = (...calls: readonly TurnToolCall[]) => runner.writeTurn({ calls: [], data: turnOf(calls) });
  /** The results, as `id content`. */
  const results = () =>
    record.drafts.flatMap(({ type, data }) =>
      type === 'tool_call_completed' ? [`${data.call_id} ${data.content as string}`] : [],
    );
  const types = () => record.drafts.map(({ type }) => type);
  return { record, runner, clock, offered, run, said, results, types };
}

const ASK: ApprovalPolicy = { tools: { pay: 'ask' } };
const id = (n: number) => actionId('run_ses_1_a', n);
const resolved = (n: number, decision: 'approve' | 'deny' | 'answer' = 'approve', content = '{}') =>
  resolves('run_ses_1_a', n, decision, content);
const resultFor = (call_id: string, n: number, content: string): Draft => ({
  type: 'tool_call_completed',
  data: { call_id, content, is_error: true, action: id(n) },
});

describe('a turn whose calls need somebody', () => {
  it('asks about each of them behind its tool uses, in one append, and of nothing else', async () => {
    const fixture = runnerOf({ ...ASK, expires_s: 60 }, [new LedgerTool('pay'), new LedgerTool('look')]);
    await fixture.said(call('1', 'look'), call('2', 'pay', '{"a":1}'), call('3', 'pay'));
    expect(fixture.types()).toEqual([
      'tools_offered',
      'model_turn_completed',
      ...Array.from({ length: 3 }, () => ['agent_tool_use_start', 'agent_tool_use']).flat(),
      'agent_action_required',
      'agent_action_required',
    ]);
    const required = fixture.record.drafts.filter(({ type }) => type === 'agent_action_required');
    const expires_at = new Date(fixture.clock.now() + 60_000).toISOString();
    expect(required.map(({ data }) => data)).toEqual([
      { action_id: id(0), kind: 'approval', content: '{"tool":"pay","input":{"a":1}}', expires_at },
      { action_id: id(1), kind: 'approval', content: '{"tool":"pay","input":{}}', expires_at },
    ]);
  });

  it('does not ask about arguments that the tool does not take, nor make the call', async () => {
    const strict = new LedgerTool('pay');
    Object.assign(strict.definition.parameters, { required: ['sum'] });
    const fixture = runnerOf(ASK, [strict]);
    await fixture.said(call('1'), call('2', 'pay', '{"sum":'), { ...call('3'), cut: true });
    expect(fixture.types()).not.toContain('agent_action_required');
    await expect(fixture.run()).resolves.toBeNull();
    expect(fixture.results().toSorted()).toEqual([
      expect.stringMatching(/^1 the arguments do not fit the tool: .*sum/),
      '2 the arguments are not valid JSON',
      expect.stringMatching(/^3 the call was not made: your answer was cut/),
    ]);
    expect(strict.calls).toEqual([]);
  });

  it('is not offered what is denied, and a call of it finds no tool', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf({ tools: { pay: 'deny' } }, [pay, new LedgerTool('look')]);
    expect(fixture.offered).toEqual(['look']);
    await fixture.said(call('1'));
    await fixture.run();
    expect(fixture.results()).toEqual(['1 there is no tool called pay']);
    expect(pay.calls).toEqual([]);
  });

  it('asks about so many at a time, and tells the agent of the others', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay]);
    await fixture.said(...Array.from({ length: MAX_OPEN_ACTIONS + 2 }, (_, n) => call(`c${n}`)));
    expect(fixture.record.state.openActions).toHaveLength(MAX_OPEN_ACTIONS);
    await expect(fixture.run()).resolves.not.toBeNull();
    expect(fixture.results()).toEqual(
      [`c${MAX_OPEN_ACTIONS}`, `c${MAX_OPEN_ACTIONS + 1}`].map((c) =>
        expect.stringMatching(new RegExp(`^${c} the call was not made: ${MAX_OPEN_ACTIONS} calls wait`)),
      ),
    );
    expect(pay.calls).toEqual([]);
  });
});

describe('a call that waits', () => {
  it('keeps no other from being made, and is made when it is released while they run', async () => {
    const gate = new Gate();
    const pay = new LedgerTool('pay');
    const look = new LedgerTool('look', { act: () => gate.arrive().then(() => 'seen') });
    const fixture = runnerOf(ASK, [pay, look]);
    await fixture.said(call('1', 'look'), call('2'));
    const ended = fixture.run();
    await gate.reached;
    expect(pay.calls).toEqual([]);
    fixture.record.hear(resolved(0));
    await settled();
    expect(fixture.results()).toEqual(['2 pay did {}']);
    gate.open();
    await expect(ended).resolves.toBeNull();
    expect(fixture.results()).toEqual(['2 pay did {}', '1 seen']);
  });

  it('is left, with what was known, when all others have their result', async () => {
    const fixture = runnerOf(ASK, [new LedgerTool('pay'), new LedgerTool('look')]);
    await fixture.said(call('1', 'look'), call('2'), call('3'));
    await expect(fixture.run()).resolves.toMatchObject({ decisions: 0, openActions: [id(0), id(1)] });
    fixture.record.hear(resolved(0));
    await expect(fixture.run()).resolves.toMatchObject({ decisions: 1 });
    expect(fixture.results()).toEqual(['1 look did {}', '2 pay did {}']);
  });

  it('is made with the input that it was released with, of which the model is told', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay]);
    await fixture.said(call('1', 'pay', '{"sum":100}'), call('2', 'pay', '{"sum":1}'));
    fixture.record.hear(
      resolved(0, 'approve', '{"input":{"sum":10}}'),
      resolved(1, 'approve', '{"input":null}'),
    );
    await fixture.run();
    expect(pay.calls).toEqual([{ sum: 10 }, null]);
    expect(fixture.results()).toEqual([
      expect.stringMatching(/^1 The call was made with other arguments than yours.*\{"sum":10\}\n\npay did/),
      expect.stringMatching(/^2 The call was made with other arguments.*: null\n\npay did null/),
    ]);
  });

  it('is not made where it is denied, also where the result is read later than the decision', async () => {
    const [pay, look] = ['pay', 'look'].map((name) => new LedgerTool(name, { isRepeatable: true }));
    const gate = new Gate();
    const slow = new LedgerTool('slow', { act: () => gate.arrive().then(() => 'done') });
    const fixture = runnerOf({ default: 'ask', tools: { slow: 'allow' } }, [pay!, look!, slow]);
    await fixture.said(call('1'), call('2', 'look'), call('3', 'slow'));
    const ended = fixture.run();
    await gate.reached;
    fixture.record.hear(resolved(0, 'deny'));
    fixture.record.hear(resolved(1, 'answer'));
    await settled();
    expect(fixture.results()).toEqual([]);
    fixture.record.hear(resultFor('1', 0, 'denied'), resultFor('2', 1, 'answered'));
    gate.open();
    await expect(ended).resolves.toBeNull();
    expect(fixture.results()).toEqual(['1 denied', '2 answered', '3 done']);
    expect([...pay!.calls, ...look!.calls]).toEqual([]);
  });

  it("of the caller's is never made here", async () => {
    const tool = callerTool({ name: 'pick', description: 'd', parameters: { required: ['a'] } });
    const fixture = runnerOf({ default: 'deny' }, [tool]);
    expect(fixture.offered).toEqual(['pick']);
    await fixture.said(call('1', 'pick', '{"a":1}'), call('2', 'pick'));
    expect(fixture.record.drafts.at(-1)).toMatchObject({ data: { kind: 'tool', action_id: id(0) } });
    await expect(fixture.run()).resolves.not.toBeNull();
    expect(fixture.results()).toEqual([expect.stringMatching(/^2 the arguments do not fit/)]);
    fixture.record.hear(resolved(0, 'answer'), resultFor('1', 0, 'blue'));
    await expect(fixture.run()).resolves.toBeNull();
    expect(fixture.types()).not.toContain('tool_call_begun');
  });
});

describe('a call that is released', () => {
  const asked = (...more: readonly Draft[]): readonly Draft[] => [
    { type: 'model_turn_completed', data: turnOf([{ ...call('1'), needs: 'approval' }]) },
    asks('run_ses_1_a', 0),
    ...more,
  ];

  it('is begun on the log before it is made', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay], ...asked(resolved(0)));
    const gate = new Gate();
    fixture.record.settled = () => gate.arrive();
    const ended = fixture.run();
    await gate.reached;
    await settled();
    expect(fixture.record.drafts.at(-1)).toEqual(begun('1'));
    expect(pay.calls).toEqual([]);
    gate.open();
    await ended;
    expect(pay.calls).toEqual([{}]);
  });

  it('is not made where the run was cancelled while that was written', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay], ...asked(resolved(0)));
    const gate = new Gate();
    fixture.record.settled = () => gate.arrive();
    const controller = new AbortController();
    const ended = fixture.run(controller.signal);
    await gate.reached;
    controller.abort(new Error('cancelled'));
    gate.open();
    await expect(ended).rejects.toThrow('cancelled');
    expect(pay.calls).toEqual([]);
  });

  it('and not begun is made by the next process, once', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay], ...asked(resolved(0)));
    await expect(fixture.run()).resolves.toBeNull();
    expect(pay.calls).toEqual([{}]);
    expect(fixture.types().filter((type) => type === 'tool_call_begun')).toHaveLength(1);
  });

  it('and begun is not made again: nobody knows what became of it', async () => {
    const pay = new LedgerTool('pay');
    const fixture = runnerOf(ASK, [pay], ...asked(resolved(0), begun('1')));
    await expect(fixture.run()).resolves.toBeNull();
    expect(pay.calls).toEqual([]);
    expect(fixture.results()).toEqual([`1 ${OUTCOME_UNKNOWN}`]);
  });

  it('and begun is made again where twice is the same as once, with what it was released with', async () => {
    const pay = new LedgerTool('pay', { isRepeatable: true });
    const fixture = runnerOf(
      ASK,
      [pay],
      ...asked(resolved(0, 'approve', '{"input":{"sum":10}}'), begun('1')),
    );
    await fixture.run();
    expect(pay.calls).toEqual([{ sum: 10 }]);
    expect(fixture.types().filter((type) => type === 'tool_call_begun')).toHaveLength(1);
  });

  it('goes to the server that it was asked about, or to none', async () => {
    const ofServer = (server: string, name: string) =>
      Object.assign(new LedgerTool(name), { origin: { server, tool: 'pay' } });
    const pay: TurnToolCall = { ...call('1'), needs: 'approval', server: 'B', tool: 'pay' };
    const left: readonly Draft[] = [
      { type: 'model_turn_completed', data: turnOf([pay]) },
      asks('run_ses_1_a', 0),
      resolved(0),
    ];
    const ofX = ofServer('X', 'pay');
    const ofB = ofServer('B', 'B_pay');
    const both = runnerOf(ASK, [ofX, ofB], ...left);
    await both.run();
    expect([ofX.calls, ofB.calls]).toEqual([[], [{}]]);
    const gone = runnerOf(ASK, [ofX], ...left);
    await gone.run();
    expect(ofX.calls).toEqual([]);
    expect(gone.results()).toEqual(['1 the call was not made: the tool server "B" is none of this run\'s']);
  });

  it.each<[string, readonly Draft[], string]>([
    ['undecided', [], NOT_MADE],
    ['released', [resolved(0)], NOT_MADE],
    ['begun', [resolved(0), begun('1')], OUTCOME_UNKNOWN],
  ])('is given up as what it is: %s', async (_, more, content) => {
    const fixture = runnerOf(ASK, [], ...asked(...more));
    await fixture.runner.giveUp(fixture.record.state.calls);
    expect(fixture.results()).toEqual([`1 ${content}`]);
  });
});
