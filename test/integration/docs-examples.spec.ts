import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import type { RunBody } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

/** Each example of the documents, sent as it stands there. */
const example = async (name: string): Promise<RunBody> =>
  JSON.parse(await readFile(`docs/examples/${name}`, 'utf8')) as RunBody;

describe('docs/examples/final-output.json, with the built-in model', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await ServiceProcess.start();
  });
  afterAll(() => service.dispose());

  it('ends with output that the schema describes', async () => {
    const stream = await service.client().run(await example('final-output.json'));
    await stream.closed();
    const [output, cost, end] = stream.records.slice(-3).map(({ event }) => event);
    expect([output?.type, cost?.type, end?.type]).toEqual([
      'agent_final_output',
      'agent_cost',
      'agent_completed',
    ]);
    expect(output).toMatchObject({ name: 'calculation' });
    const value = JSON.parse(output?.content ?? '') as Record<string, unknown>;
    expect(value).toEqual({ expression: '6 x 7', value: 42 });
  });

  it('gives the value in a JSON answer, and counts what it took', async () => {
    const client = service.client();
    const plain = await client.runToEnd('What is 6 x 7?');
    const ended = await client.runToEnd(await example('final-output.json'));
    expect(ended).toMatchObject({ final_output: { expression: '6 x 7', value: 42 } });
    expect(ended.messages).toEqual(plain.messages);
    const tokensOf = async (run: string) =>
      (await client.get(`/runs/${run}`)).json<{ usage: { input_tokens: number } }>().usage.input_tokens;
    expect(await tokensOf(ended.run_id)).toBeGreaterThan(await tokensOf(plain.run_id));
  });
});

describe('the examples that need a model of the test', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  });
  afterAll(() => stage.close());

  it('docs/examples/workflow.json: two steps at the same time, and one behind the other', async () => {
    const { book, client } = stage;
    const body = await example('workflow.json');
    const gates = { Sights: new Gate(), Weather: new Gate() };
    const answers: Record<string, ReturnType<typeof say>> = {
      Sights: say(before(gates.Sights), 'Belém'),
      Weather: say(before(gates.Weather), 'mild'),
      Plan: say('{"days": ["Alfama", "Belém"]}'),
      Guide: say('Go.'),
    };
    book.find = (message) => {
      const answer = answers[/^The step "(\w+)":$/m.exec(message)?.[1] ?? ''];
      return answer && [answer];
    };
    const args = /\{.*\}/.exec(body.message)?.[0] ?? '';
    book.on(body.message, say(...call(0, 'c1', 'run_workflow', args)), say('The guide is there.'));
    const stream = await client.run(body);
    await Promise.all([gates.Sights.reached, gates.Weather.reached]);
    gates.Weather.open();
    gates.Sights.open();
    await stream.closed();
    const steps = stream.records
      .map(({ event }) => event as unknown as { type: string; step_id: string; status: string })
      .filter(({ type }) => type === 'agent_workflow_step')
      .map(({ step_id, status }) => `${step_id} ${status}`);
    expect(steps.slice(0, 2)).toEqual(['sights started', 'weather started']);
    expect(steps.slice(-4)).toEqual(['plan started', 'plan completed', 'guide started', 'guide completed']);
    expect(steps.toSorted()[7]).toBe('weather started');
    const response = stream.records.find(({ event }) => event.type === 'agent_tool_response')?.event.content;
    const { content } = JSON.parse(response ?? '') as { content: string };
    expect(JSON.parse(content)).toEqual({
      workflow_id: 'city-guide',
      status: 'completed',
      steps: [
        { id: 'sights', status: 'completed', output: 'Belém' },
        { id: 'weather', status: 'completed', output: 'mild' },
        { id: 'plan', status: 'completed', output: '{"days": ["Alfama", "Belém"]}' },
        { id: 'guide', status: 'completed', output: 'Go.' },
      ],
    });
  });

  describe.each(['mcp-server.mjs', 'mcp-server-2026.mjs'])('docs/examples/%s', (example) => {
    let server: ChildProcess;
    let address = '';
    beforeAll(async () => {
      server = spawn(resolve('node_modules/.bin/node'), [`docs/examples/${example}`], {
        env: { ...process.env, TOKEN: 'sesame', PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = (await once(server.stdout!.setEncoding('utf8'), 'data')) as [string];
      address = /http:\S+/.exec(said)?.[0] ?? '';
    });
    afterAll(async () => {
      const gone = once(server, 'exit');
      server.kill();
      await gone;
    });

    it('sells to the request of docs/mcp.md', async () => {
      const { book, client } = stage;
      const page = await readFile('docs/mcp.md', 'utf8');
      const [, json = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
      expect(json).toContain('http://127.0.0.1:4100/mcp');
      const body = JSON.parse(json.replace('http://127.0.0.1:4100/mcp', address)) as RunBody;
      const sell = call(0, 'c1', 'sell', { product: 'apple', pieces: 2 });
      book.on(body.message, say(...sell, ...call(1, 'c2', 'stock_of', { product: 'pear' })), say('Ten.'));
      const stream = await client.run(body);
      await stream.closed();
      const responses = stream.records
        .filter(({ event }) => event.type === 'agent_tool_response')
        .map(({ event }) => JSON.parse(event.content ?? '') as unknown);
      expect(responses).toEqual([
        { tool: 'sell', content: '10 left' },
        { tool: 'stock_of', content: '3' },
      ]);
      expect(stream.lines.at(-1)).toBe('agent_completed');
    });
  });
});
