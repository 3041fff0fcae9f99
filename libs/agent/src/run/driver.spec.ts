import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DriveOptions, DriveFixture } from '../../../../test/support/drive-fixture.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { done, text, thought, toolCall } from '../../../../test/support/scripted-client.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { ModelFailure } from '../model/model-client.js';

let temp: TempLog;
let count = 0;
const start = (options: DriveOptions) => DriveFixture.open(temp, `ses_d${++count}`, options);
const streaming = { config: { streaming_tokens: true } };

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const CALLED =
  'model_called {"kind":"turn","mode":"base","model":"m","input_tokens":10,"output_tokens":5,"reported":{},"price":null,"cost":"0"}';
const STOPPED = 'model_turn_completed {"finish_reason":"stop"}';
const STEP_1 = 'agent_step {"step":"1"}';
const STEP_2 = 'agent_step {"step":"2"}';
const COMPLETED = ['agent_cost {"cost":"0"}', 'agent_completed'];

describe('a plain answer', () => {
  it('is one block where tokens are not streamed', async () => {
    const fixture = await start({ script: [[text('6 x 7'), text(' is 42.'), done()]] });
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'completed' });
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response {"content":"6 x 7 is 42."}',
      CALLED,
      STOPPED,
      STEP_1,
      ...COMPLETED,
    ]);
    expect(fixture.at.log.appends).toHaveLength(2);
  });

  it('comes piece by piece where they are, its end in one append', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const steps = [text('6 x'), gates[0], text(' 7'), text(' is'), gates[1], text(' 42.'), done()];
    const fixture = await start({ script: [steps], request: streaming });
    const ended = fixture.driver.drive();
    await fixture.heard('agent_response');
    gates[0].open();
    await gates[1].reached;
    await fixture.at.settled();
    gates[1].open();
    await ended;
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response {"content":"6 x"}',
      'agent_response {"content":" 7 is"}',
      'agent_response {"content":" 42."}',
      CALLED,
      STOPPED,
      STEP_1,
      ...COMPLETED,
    ]);
    expect(fixture.at.log.appends.map((a) => a.types.length)).toEqual([4, 2, 1, 6]);
  });

  it('stands behind what the model thought', async () => {
    const fixture = await start({ script: [[thought('h'), thought('m'), text('42'), done()]] });
    await fixture.driver.drive();
    expect((await fixture.lines()).slice(0, 6)).toEqual([
      'agent_thinking_start',
      'agent_thinking {"content":"hm"}',
      'agent_response_start',
      'agent_response {"content":"42"}',
      CALLED,
      STOPPED,
    ]);
  });

  it('without a word is complete all the same', async () => {
    const fixture = await start({ script: [[done()]] });
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'completed' });
    expect(await fixture.lines()).toEqual([CALLED, STOPPED, STEP_1, ...COMPLETED]);
  });

  it('costs what its turns cost', async () => {
    const script = [[done(toolCall('c', 't'))], [text('ok'), done()]];
    const tools = [new LedgerTool('t')];
    const fixture = await start({ script, tools, request: { model: 'gpt-5' } });
    await fixture.driver.drive();
    expect((await fixture.lines()).at(-2)).toBe('agent_cost {"cost":"0.000125"}');
  });

  it('is in the context that the next run goes on with', async () => {
    const fixture = await start({ script: [[text('42'), done()]], request: streaming });
    await fixture.driver.drive();
    expect(fixture.context.messages).toEqual([
      { role: 'user', content: `the message of ${fixture.at.run}` },
      { role: 'assistant', content: '42' },
    ]);
  });
});

describe('a turn with tool calls', () => {
  it('is on the log as a whole before the tool is called', async () => {
    let before: string[] = [];
    const act = async () => {
      before = await fixture.lines();
      return 'three';
    };
    const fixture: DriveFixture = await start({
      script: [
        [text('let me see'), done(toolCall('c1', 'count', { of: 'a' }))],
        [text('3'), done()],
      ],
      tools: [new LedgerTool('count', { act })],
    });
    await fixture.driver.drive();
    const intent = [
      'agent_response_start',
      'agent_response {"content":"let me see"}',
      'tools_offered {"tools":"[{\\"name\\":\\"count\\",\\"description\\":\\"the tool count\\",\\"parameters\\":{\\"type\\":\\"object\\"}}]"}',
      CALLED,
      `model_turn_completed {"finish_reason":"tool_calls","tool_calls":` +
        '[{"id":"c1","name":"count","arguments":"{\\"of\\":\\"a\\"}"}]}',
      'agent_tool_use_start',
      'agent_tool_use {"content":"{\\"tool\\":\\"count\\",\\"input\\":{\\"of\\":\\"a\\"}}"}',
    ];
    expect(before).toEqual(intent);
    expect(await fixture.lines()).toEqual([
      ...intent,
      'tool_call_completed {"call_id":"c1","content":"three"}',
      'agent_tool_response {"content":"{\\"tool\\":\\"count\\",\\"content\\":\\"three\\"}"}',
      STEP_1,
      'agent_response_start',
      'agent_response {"content":"3"}',
      CALLED,
      STOPPED,
      STEP_2,
      ...COMPLETED,
    ]);
    expect(fixture.at.log.appends[1]?.types).toEqual(intent.map((line) => line.split(' ')[0]));
  });

  it('gives the model the results in its next turn', async () => {
    const calls = [toolCall('c1', 'a', {}), toolCall('c2', 'b', {})];
    const fixture = await start({
      script: [[text('so'), done(...calls)], [done()]],
      tools: [new LedgerTool('a'), new LedgerTool('b')],
    });
    await fixture.driver.drive();
    expect(fixture.model.requests[0]?.tools.map((t) => t.name)).toEqual(['a', 'b']);
    expect(fixture.model.requests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: `the message of ${fixture.at.run}` },
      { role: 'assistant', content: 'so', toolCalls: calls },
      { role: 'tool', callId: 'c1', content: 'a did {}' },
      { role: 'tool', callId: 'c2', content: 'b did {}' },
    ]);
  });

  it('records results as they come, and responds in the order of the calls', async () => {
    const gate = new Gate();
    const slow = new LedgerTool('slow', { act: () => gate.arrive().then(() => 'late') });
    const fixture = await start({
      script: [[done(toolCall('c1', 'slow'), toolCall('c2', 'fast'))], [done()]],
      tools: [slow, new LedgerTool('fast', { act: () => Promise.resolve('soon') })],
    });
    const ended = fixture.driver.drive();
    await fixture.heard('tool_call_completed');
    gate.open();
    await ended;
    expect((await fixture.lines()).slice(7, 12)).toEqual([
      'tool_call_completed {"call_id":"c2","content":"soon"}',
      'tool_call_completed {"call_id":"c1","content":"late"}',
      'agent_tool_response {"content":"{\\"tool\\":\\"slow\\",\\"content\\":\\"late\\"}"}',
      'agent_tool_response {"content":"{\\"tool\\":\\"fast\\",\\"content\\":\\"soon\\"}"}',
      STEP_1,
    ]);
  });

  it('may have results that are too large for one append', async () => {
    const large = 'x'.repeat(150_000);
    const calls = Array.from({ length: 8 }, (_, i) => toolCall(`c${i}`, 'read', {}));
    const tools = [new LedgerTool('read', { act: () => Promise.resolve(large) })];
    const fixture = await start({ script: [[done(...calls)], [text('ok'), done()]], tools });
    await expect(fixture.driver.drive()).resolves.toEqual({ kind: 'completed' });
    const responses = (await fixture.lines()).filter((line) => line.startsWith('agent_tool_response'));
    expect(responses).toHaveLength(8);
  });
});

describe('a run that is not done after its last step', () => {
  it.each([
    ['base', 2],
    ['flash', 5],
  ] as const)('fails in mode %s of %d steps at most after the second', async (mode, maxSteps) => {
    const script = () => [done(toolCall('c', 't'))];
    const fixture = await start({ script, tools: [new LedgerTool('t')], maxSteps, request: { mode } });
    await expect(fixture.driver.drive()).resolves.toMatchObject({ kind: 'failed', code: 'max_steps' });
    expect((await fixture.lines()).slice(-3)).toEqual([
      STEP_2,
      'agent_cost {"cost":"0"}',
      'agent_error {"content":"the agent was not done after 2 steps","code":"max_steps","retryable":false}',
    ]);
    expect(fixture.model.requests).toHaveLength(2);
  });
});

describe('a model that cannot answer', () => {
  it('is asked again, the broken turn marked, the piece that was shown staying', async () => {
    const fault = new ModelFailure('transient', 'cut off');
    const script = [
      [text('6 x'), fault],
      [text('6 x 7'), done()],
    ];
    const fixture = await start({ script, request: streaming });
    const ended = fixture.driver.drive();
    await fixture.at.clock.pass(10_000);
    await ended;
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response {"content":"6 x"}',
      'model_turn_failed {"attempt":1,"error":"cut off"}',
      'agent_response_start',
      'agent_response {"content":"6 x 7"}',
      CALLED,
      STOPPED,
      STEP_1,
      ...COMPLETED,
    ]);
    expect(fixture.context.messages.at(-1)).toEqual({ role: 'assistant', content: '6 x 7' });
  });

  it('fails the run with what happened', async () => {
    const fixture = await start({ script: [[new ModelFailure('refused', 'no such model')]] });
    await fixture.driver.drive();
    expect(await fixture.lines()).toEqual([
      'agent_cost {"cost":"0"}',
      'agent_error {"content":"no such model","code":"model_unavailable","retryable":false}',
    ]);
  });
});
