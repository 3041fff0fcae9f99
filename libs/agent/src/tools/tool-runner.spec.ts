import { describe, expect, it } from '@jest/globals';
import { type CallState, type Draft, OUTCOME_UNKNOWN, type TurnToolCall } from '#domain';
import { CallRecord } from '../../../../test/support/call-record.js';
import { LOCAL_SCHEMAS } from '../../../../test/support/local-schemas.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { CallGate } from './call-gate.js';
import { ToolRunner } from './tool-runner.js';

const call = (id: string, name = 't', args = '{}'): TurnToolCall => ({ id, name, arguments: args });
const answered = (c: TurnToolCall, content: string): CallState => ({
  call: c,
  result: { content, isError: false },
  isResponded: false,
});

function runnerOf(...tools: readonly LedgerTool[]) {
  const sink = new CallRecord();
  const gate = new CallGate(undefined, LOCAL_SCHEMAS, 'p');
  const targets = { tools: () => tools, servers: () => [] };
  const runner = new ToolRunner(sink, { clock: new ManualClock() }, gate, targets);
  runner.offer();
  const left = () => sink.state.calls.filter(({ result }) => result === null);
  const runFresh = async (calls: readonly TurnToolCall[], signal = new AbortController().signal) => {
    await runner.writeTurn({ calls: [], data: turnOf(calls) });
    sink.drafts.length = 0;
    return runner.run(left, signal);
  };
  return { runner, sink, runFresh };
}

const turnOf = (tool_calls: readonly TurnToolCall[]) => ({
  usage: { input_tokens: 1, output_tokens: 1 },
  cost: '0',
  finish_reason: 'tool_calls',
  tool_calls,
});

/** Calls of a turn that another process heard. */
function left(sink: CallRecord, ...calls: readonly TurnToolCall[]) {
  sink.write([{ type: 'model_turn_completed', data: turnOf(calls) }]);
  sink.drafts.length = 0;
  return () => sink.state.calls.filter(({ result }) => result === null);
}

const completed = (callId: string, content: string, isError = false) => ({
  type: 'tool_call_completed',
  data: { call_id: callId, content, ...(isError ? { is_error: true } : {}) },
});

describe('the intent to call tools', () => {
  it('holds tool and input as JSON text, and broken arguments as they are', async () => {
    const { runner, sink } = runnerOf();
    await runner.writeTurn({
      calls: [],
      data: turnOf([
        call('1', 'add', '{"a":1,"b":"\\u00e9"}'),
        call('2', 'now', ''),
        call('3', 'add', '{"a":'),
        call('4', 'add', '{"a":1184773092771532801}'),
      ]),
    });
    expect(sink.drafts.slice(1)).toEqual([
      { type: 'agent_tool_use_start', data: {} },
      { type: 'agent_tool_use', data: { content: '{"tool":"add","input":{"a":1,"b":"é"}}' } },
      { type: 'agent_tool_use_start', data: {} },
      { type: 'agent_tool_use', data: { content: '{"tool":"now","input":{}}' } },
      { type: 'agent_tool_use_start', data: {} },
      { type: 'agent_tool_use', data: { content: '{"tool":"add","input":"{\\"a\\":"}' } },
      { type: 'agent_tool_use_start', data: {} },
      {
        type: 'agent_tool_use',
        data: { content: '{"tool":"add","input":"{\\"a\\":1184773092771532801}"}' },
      },
    ]);
  });
});

describe('a turn that is not written any more', () => {
  const called = { type: 'model_called', data: { cost: '1' } } as unknown as Draft;

  it('leaves what it cost, once', async () => {
    const { runner, sink } = runnerOf();
    const controller = new AbortController();
    const writing = runner.writeTurn({ calls: [called], data: turnOf([call('1')]) }, controller.signal);
    controller.abort(new Error('cancelled meanwhile'));
    await expect(writing).rejects.toThrow('cancelled meanwhile');
    expect(sink.drafts).toEqual([called]);
  });

  it('leaves nothing where it cost nothing', async () => {
    const { runner, sink } = runnerOf();
    const writing = runner.writeTurn({ calls: [], data: turnOf([]) }, AbortSignal.abort(new Error('over')));
    await expect(writing).rejects.toThrow('over');
    expect(sink.drafts).toEqual([]);
  });
});

describe('the calls of a turn', () => {
  it('are not made where their arguments were cut or no tool is named, and the agent is told', async () => {
    const tool = new LedgerTool('t');
    const { sink, runFresh } = runnerOf(tool);
    await runFresh([{ ...call('1', 't', ''), cut: true }, call('2', '')]);
    expect(sink.drafts[0]?.data).toMatchObject({ content: expect.stringContaining('was cut at its limit') });
    expect(sink.drafts[1]).toEqual(completed('2', 'the call was not made: it does not name a tool', true));
    expect(tool.calls).toEqual([]);
  });

  it.each(['1184773092771532801', '1e400'])('are not made with another number than %s', async (number) => {
    const tool = new LedgerTool('t');
    const { sink, runFresh } = runnerOf(tool);
    await runFresh([call('1', 't', `{"ids":[7,${number}]}`)]);
    expect(sink.drafts[0]?.data).toMatchObject({
      content: expect.stringMatching(new RegExp(`ids\\[1\\] .*${number}.* as a string`)),
      is_error: true,
    });
    expect(tool.calls).toEqual([]);
  });

  it('run at the same time, and each result is recorded as soon as it is there', async () => {
    const gates = { 1: new Gate(), 2: new Gate() };
    const tool = new LedgerTool('t', {
      act: (input) => gates[input as 1 | 2].arrive().then(() => `did ${String(input)}`),
    });
    const { sink, runFresh } = runnerOf(tool);
    const done = runFresh([call('c1', 't', '1'), call('c2', 't', '2')]);
    await Promise.all([gates[1].reached, gates[2].reached]);
    gates[2].open();
    await gates[2].opened;
    await new Promise(setImmediate);
    expect(sink.drafts).toEqual([completed('c2', 'did 2')]);
    gates[1].open();
    await done;
    expect(sink.drafts).toEqual([completed('c2', 'did 2'), completed('c1', 'did 1')]);
  });

  it('get their parsed arguments, none at all being an empty object', async () => {
    const tool = new LedgerTool('t');
    await runnerOf(tool).runFresh([call('1', 't', '{"a":[1]}'), call('2', 't', ' ')]);
    expect(tool.calls).toEqual([{ a: [1] }, {}]);
  });

  it.each([
    ['an unknown tool', call('1', 'nope'), 'there is no tool called nope'],
    ['arguments that are no JSON', call('1', 't', '{"a":'), 'the arguments are not valid JSON'],
    ['a tool that throws', call('1', 'broken'), 'the tool failed: out of paper'],
  ])('tell the agent of %s', async (_, made, content) => {
    const broken = new LedgerTool('broken', { act: () => Promise.reject(new Error('out of paper')) });
    const { sink, runFresh } = runnerOf(new LedgerTool('t'), broken);
    await runFresh([made]);
    expect(sink.drafts).toEqual([completed('1', content, true)]);
  });

  it('tell of a failure that the tool reports itself', async () => {
    const tool = new LedgerTool('t', {
      act: () => Promise.resolve({ content: 'no such row', isError: true }),
    });
    const { sink, runFresh } = runnerOf(tool);
    await runFresh([call('1')]);
    expect(sink.drafts).toEqual([completed('1', 'no such row', true)]);
  });

  it('have their files kept before the result is recorded, which refers to them', async () => {
    const bytes = Buffer.from('a picture');
    const file = { id: 'file_1', bytes, mediaType: 'image/png', name: 'a.png' };
    const tool = new LedgerTool('t', { act: () => Promise.resolve({ content: 'drawn', files: [file] }) });
    const { sink, runFresh } = runnerOf(tool);
    await runFresh([call('1')]);
    const [draft] = sink.drafts;
    if (draft?.type !== 'tool_call_completed') throw new Error('there is no result');
    const [kept] = draft.data.files ?? [];
    const told = { id: 'file_1', media_type: 'image/png', tool: 't', name: 'a.png' };
    expect(kept).toEqual({
      ...told,
      file: {
        $file: expect.any(String),
        bytes: bytes.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(Buffer.from(await sink.contents.bytes(sink.session, kept!.file))).toEqual(bytes);
  });

  it('end with the reason of an abort, and record nothing after it', async () => {
    const gate = new Gate();
    const obedient = new LedgerTool('t', {
      act: (_, signal) => gate.arrive().then(() => signal.throwIfAborted()),
    });
    const deaf = new LedgerTool('deaf', { act: () => gate.arrive().then(() => 'late') });
    const { sink, runFresh } = runnerOf(obedient, deaf);
    const controller = new AbortController();
    const done = runFresh([call('1'), call('2', 'deaf')], controller.signal);
    await gate.reached;
    controller.abort(new Error('cancelled'));
    gate.open();
    await expect(done).rejects.toThrow('cancelled');
    await new Promise(setImmediate);
    expect(sink.drafts).toEqual([]);
  });

  it('are not made where the abort came before', async () => {
    const tool = new LedgerTool('t');
    const { runFresh } = runnerOf(tool);
    await expect(runFresh([call('1')], AbortSignal.abort(new Error('cancelled')))).rejects.toThrow(
      'cancelled',
    );
    expect(tool.calls).toEqual([]);
  });

  it('keep a result that is too large for an event in a file', async () => {
    const { sink, runFresh } = runnerOf(
      new LedgerTool('t', { act: () => Promise.resolve('x'.repeat(200_000)) }),
    );
    await runFresh([call('1')]);
    expect(sink.drafts).toMatchObject([{ data: { content: { bytes: 200_000 } } }]);
  });
});

describe('calls that a process before this one may have made', () => {
  it('are made again where twice is the same as once, and else answered with "outcome unknown"', async () => {
    const reads = new LedgerTool('reads', { isRepeatable: true });
    const pays = new LedgerTool('pays');
    const { runner, sink } = runnerOf(reads, pays);
    const open = left(sink, call('1', 'pays'), call('2', 'reads'), call('3', 'gone'));
    await runner.run(open, new AbortController().signal);
    expect(pays.calls).toEqual([]);
    expect(reads.calls).toEqual([{}]);
    expect(sink.drafts.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      completed('1', OUTCOME_UNKNOWN, true),
      completed('2', 'reads did {}'),
      completed('3', OUTCOME_UNKNOWN, true),
    ]);
  });

  it('are told from those of the turn that this process heard', async () => {
    const pays = new LedgerTool('pays');
    const { runner, sink } = runnerOf(pays);
    await runner.writeTurn({ calls: [], data: turnOf([call('old', 'pays')]) });
    await runner.run(left(sink, call('old', 'pays')), new AbortController().signal);
    expect(pays.calls).toEqual([]);
    expect(sink.drafts).toEqual([completed('old', OUTCOME_UNKNOWN, true)]);
  });
});

describe('the responses', () => {
  it('stand in the order of the calls, as JSON text of tool and content', async () => {
    const { runner } = runnerOf();
    const drafts = await runner.responses([
      answered(call('1', 'a'), 'say "hi"'),
      answered(call('2', 'b'), ''),
    ]);
    expect(drafts).toEqual([
      { type: 'agent_tool_response', data: { content: '{"tool":"a","content":"say \\"hi\\""}' } },
      { type: 'agent_tool_response', data: { content: '{"tool":"b","content":""}' } },
    ]);
  });
});
