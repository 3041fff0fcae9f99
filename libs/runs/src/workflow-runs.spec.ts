import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HouseOptions } from '../../../test/support/house.js';
import { lastUserOf, resultsIn, stepAsked, systemOf } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';
import {
  DIAMOND,
  type InStep,
  WORK,
  WorkflowHouse,
  configOf,
  says,
  stepLines,
} from '../../../test/support/workflow-house.js';
import { stepOf } from '../../../test/support/workflows.js';

let temp: TempLog;
let boots = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const open = (inStep?: InStep, options?: Partial<HouseOptions>) =>
  new WorkflowHouse(temp, `work ${++boots}`, inStep, options);

/** Behind the use of the tool and before its response. */
const between = (lines: readonly string[]) =>
  lines.slice(lines.indexOf('tool_use run_workflow') + 1, lines.indexOf('tool_response run_workflow'));

describe('a workflow in a run', () => {
  it('gives its events in order, between the use of the tool and its response', async () => {
    const work = open();
    const { lines } = await work.run(configOf(DIAMOND));
    expect(lines).toEqual([
      'started',
      'tool_use_start',
      'tool_use run_workflow',
      'workflow_step started a 1',
      'workflow_step started b 1',
      'workflow_step completed a 1',
      'workflow_step completed b 1',
      'workflow_step started c 1',
      'workflow_step completed c 1',
      'tool_response run_workflow',
      'step 1',
      'response_start',
      'response well',
      'step 2',
      'cost 0',
      'completed',
    ]);
    expect(work.answer).toEqual({
      workflow_id: 'w',
      status: 'completed',
      steps: ['a', 'b', 'c'].map((id) => ({ id, status: 'completed', output: `output of ${id}` })),
    });
  });

  it('asks the model once for each attempt that needs no tool', async () => {
    const work = open();
    await work.run(configOf(DIAMOND));
    expect(work.house.model.requests.map(stepAsked)).toEqual([null, 'a', 'b', 'c', null]);
  });

  it('ends the request of a step with its description word for word, the outputs of its dependencies before it', async () => {
    const work = open();
    const description = 'Compare  them:\n"the one"\twith the other';
    await work.run(configOf([stepOf('a'), stepOf('b'), stepOf('c', ['b', 'a'], { description })]));
    const [request] = work.requests('c');
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const message = lastUserOf(request);
    const places = ['the facts', 'output of b', 'output of a', description].map((part) =>
      message.indexOf(part),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(lastUserOf(work.requests('a')[0])).not.toMatch(/output of [abc]/);
  });

  it('keeps the rules, the system prompt and the tools of the toolbox in its steps, and no tool to hand off', async () => {
    const work = open();
    const agents = [{ name: 'poet', description: 'writes verse' }];
    await work.run(configOf(DIAMOND, { system: 'You are Ann.', rules: ['be brief'], agents }));
    const [main] = work.house.model.requests;
    expect(main?.tools.map(({ name }) => name)).toEqual(['transfer_to_poet', 'run_workflow', 'look']);
    expect(systemOf(main)).toContain('run_workflow');
    for (const request of work.house.model.requests.slice(1, 4)) {
      expect(systemOf(request)).toMatch(/^You are Ann\.[^]*- be brief$/);
      expect(systemOf(request)).not.toMatch(/run_workflow|transfer/);
      expect(request.tools.map(({ name }) => name)).toEqual(['look']);
    }
  });

  it('runs steps at the same time that do not depend on each other, eight at most', async () => {
    const gates = new Map<string, Gate>();
    const work = open((step) => {
      const gate = new Gate();
      gates.set(step, gate);
      return [gate, ...says(step)];
    });
    const ids = Array.from({ length: 9 }, (_, i) => `s${i}`);
    const ended = work.run(configOf(ids.map((id) => stepOf(id))));
    await work.house.model.asked(9);
    await Promise.all([...gates.values()].map((gate) => gate.reached));
    expect([...gates.keys()]).toEqual(ids.slice(0, 8));
    gates.get('s3')?.open();
    await work.house.model.asked(10);
    expect([...gates.keys()]).toEqual([...ids.slice(0, 8), 's8']);
    for (const gate of gates.values()) gate.open();
    const { lines } = await ended;
    expect(stepLines(lines).filter((line) => line.startsWith('completed'))).toHaveLength(9);
  });

  it("shows a step's tool calls like any other, each start directly before its event, however steps mix", async () => {
    const calls = [toolCall('x', 'look', { of: 1 }), toolCall('y', 'look', { of: 2 })];
    const work = open((step, _n, request) =>
      resultsIn(request).length > 0 ? says(`saw in ${step}`) : [text('let me see'), done(...calls)],
    );
    const ids = ['a', 'b', 'c', 'd'];
    const { lines, events } = await work.run(configOf(ids.map((id) => stepOf(id))));
    const inside = between(lines);
    expect(work.look.calls).toHaveLength(8);
    expect(inside.filter((line) => line === 'tool_use look')).toHaveLength(8);
    expect(inside.filter((line) => line === 'tool_response look')).toHaveLength(8);
    const types = events.map(({ type }) => type);
    for (const [at, type] of types.entries()) {
      if (!type.endsWith('_start')) continue;
      expect(types[at + 1]).toBe(type.slice(0, -'_start'.length));
    }
    expect(lines.filter((line) => line.startsWith('response'))).toEqual(['response_start', 'response well']);
    const [, second] = work.requests('a');
    expect(second?.messages.slice(2)).toEqual([
      { role: 'assistant', content: 'let me see', toolCalls: calls },
      { role: 'tool', callId: 'x', content: 'look did {"of":1}' },
      { role: 'tool', callId: 'y', content: 'look did {"of":2}' },
    ]);
  });

  it('stands in the history and in later context as one tool call with its answer', async () => {
    const work = open();
    const { started } = await work.run(configOf(DIAMOND));
    const history = await work.house.history(started.session);
    expect(history.map((line) => line.split(' ')[0])).toEqual([
      'user_message',
      'agent_tool_use',
      'agent_response',
    ]);
    await work.house.run('again', { session: started.session, config: {} });
    const roles = work.requests(null)[2]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('counts the tokens and the cost of its steps with the run, and no steps', async () => {
    const work = open(undefined, { model: 'gpt-4o' });
    const { events, lines } = await work.run(configOf(DIAMOND));
    expect(events.filter(({ type }) => type === 'model_turn_completed')).toHaveLength(5);
    // 10 tokens in and 5 out are $0.000075 a turn.
    expect(lines.at(-2)).toBe('cost 0.000375');
    expect(lines.filter((line) => line.startsWith('step'))).toEqual(['step 1', 'step 2']);
  });

  it('has turns of its own: MAX_STEPS counts those of the main agent', async () => {
    const work = open((step, n) => (n < 2 ? [done(toolCall(`x${n}`, 'look'))] : says(step)), {
      maxSteps: 3,
    });
    const { lines } = await work.run(configOf([stepOf('a'), stepOf('b', ['a'])]));
    expect(lines.at(-1)).toBe('completed');
    expect(work.house.model.requests).toHaveLength(8);
  });

  it('lets an attempt fail that takes more turns than MAX_STEPS, and the run goes on', async () => {
    const work = open((_, n) => [done(toolCall(`x${n}`, 'look'))], { maxSteps: 3 });
    const { lines } = await work.run(configOf([stepOf('a')]));
    expect(work.requests('a')).toHaveLength(3);
    expect(lines).toContain('workflow_step failed a 1');
    expect(work.answer).toMatchObject({
      status: 'failed',
      steps: [{ errors: ['the step was not done after 3 turns'] }],
    });
    expect(lines.at(-1)).toBe('completed');
  });

  it('may be called twice in a turn: each call has its own steps', async () => {
    const second = { ...WORK, id: 'w2' };
    const work = open(undefined, {
      script: (request) => {
        const step = stepAsked(request);
        if (step !== null) return says(`output of ${step}`);
        return resultsIn(request).length > 0 ? says('well') : [done(WORK, second)];
      },
    });
    const { lines } = await work.run(configOf([stepOf('a')]));
    expect(stepLines(lines)).toEqual(['started a 1', 'started a 1', 'completed a 1', 'completed a 1']);
    expect(resultsIn(work.house.model.requests.at(-1)!)).toHaveLength(2);
  });

  it('carries outputs, texts and arguments that are too large for an event', async () => {
    const large = (what: string) => what.repeat(150_000);
    const tell = toolCall('x', 'look', { of: large('y') });
    const work = open((step, n) => {
      if (step === 'b') return says('short');
      return n === 0 ? [text(large('t')), done(tell)] : says(large('a') + large('a'));
    });
    const { lines } = await work.run(configOf([stepOf('a'), stepOf('b', ['a'])]));
    expect(stepLines(lines)).toEqual(['started a 1', 'completed a 1', 'started b 1', 'completed b 1']);
    expect(work.requests('a')[1]?.messages[2]).toEqual({
      role: 'assistant',
      content: large('t'),
      toolCalls: [tell],
    });
    expect(lastUserOf(work.requests('b')[0])).toContain(`${large('a')}${large('a')}\n\nThe step "Step b"`);
    expect(work.answer).toMatchObject({ steps: [{ output: large('a') + large('a') }, {}] });
  });
});
