import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstalledIn } from '../support/installed.js';
import { McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { PythonProgram, pythonForOpenAi } from '../support/python.js';
import { call, say } from '../support/scripted-turn.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const run = promisify(execFile);
const NODE = resolve('node_modules/.bin/node');
const CLIENTS = resolve('test/openai-clients');

const isThere = isInstalledIn(CLIENTS, '@openai/agents/package.json');
if (!isThere)
  process.stdout.write('the clients of test/openai-clients cannot be installed: their test is skipped\n');
const python = pythonForOpenAi();
if (python === null) process.stdout.write("there is no Python with OpenAI's client: its test is skipped\n");

let stage: Stage;
let shop: McpFixture;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  shop = await McpFixture.start({ tools: [{ name: 'sell', run: () => text('sold') }] });
});
afterAll(async () => {
  await stage.close();
  await shop.close();
});

const environment = () => ({ ANNALS_URL: stage.service.origin, ANNALS_KEY: ADMIN_KEY });
const linesOf = (output: string): unknown[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

async function outputOf(program: string, env: Readonly<Record<string, string>>): Promise<unknown[]> {
  const all = { ...process.env, ...environment(), ...env };
  const { stdout } = await run(NODE, [join(CLIENTS, program)], { env: all });
  return linesOf(stdout);
}

const plain = (name: string) => stage.book.on(stage.message(name), say('Hel', 'lo'));
const calling = (name: string, tool: string, input: object) =>
  stage.book.on(stage.message(name), say(...call(0, 'c0', tool, input)), say('done'));

(isThere ? describe : describe.skip)('clients for Node', () => {
  it('the Agents SDK calls functions, streams, and asks for approval', async () => {
    const [called, streamed, sold] = await outputOf('use-agents.mjs', {
      SHOP_URL: shop.url,
      MESSAGE_FUNCTION: calling('agents', 'look_up', { word: 'ship' }),
      MESSAGE_STREAM: plain('agents stream'),
      MESSAGE_SERVER: calling('agents sell', 'sell', {}),
    });
    const oneRun = [expect.stringMatching(/_1$/), expect.stringMatching(/_2$/)];
    expect(called).toEqual({ output: 'done', responses: oneRun });
    expect(streamed).toEqual({ output: 'Hello', text: 'Hello' });
    expect(sold).toMatchObject({ output: 'done', asked: ['sell'] });
    expect(shop.calls).toEqual(['sell {}']);
  });

  it('the AI SDK speaks to all three interfaces', async () => {
    const messages: Record<string, string> = {};
    for (const name of ['responses', 'chat', 'open']) {
      messages[`${name}-tool`] = calling(`${name} tool`, 'look_up', { word: 'ship' });
      messages[`${name}-stream`] = plain(`${name} stream`);
    }
    const lines = await outputOf('use-ai.mjs', { MESSAGES: JSON.stringify(messages) });
    expect(lines).toHaveLength(6);
    // Everything is sent by value, or by reference, and goes on with the same run all the same.
    const { ids } = lines[0] as { readonly ids: readonly string[] };
    expect(ids[1]).toBe(ids[0]?.replace(/_1$/, '_2'));
    const open = lines[4] as { readonly ids: readonly string[] };
    expect(open.ids[1]).toBe(open.ids[0]?.replace(/_1$/, '_2'));
    for (const at of [0, 2, 4]) {
      expect(lines[at]).toMatchObject({ text: 'done', steps: 2, usage: true });
      expect(lines[at + 1]).toMatchObject({ text: 'Hello', finish: 'stop' });
    }
  });
});

(python === null ? describe.skip : describe)('the client for Python', () => {
  it('runs the example of docs/openai.md', async () => {
    const program = new PythonProgram(python!, environment());
    for (const sum of ['6 x 7', '7 x 8', '8 x 9']) stage.book.on(`What is ${sum}?`, say(`the sum of ${sum}`));
    const out = await program.output(resolve('docs/examples/openai_client.py'));
    expect(out.trim().split('\n')).toEqual([
      'the sum of 6 x 7',
      'the sum of 7 x 8',
      'user What is 6 x 7?',
      'assistant the sum of 6 x 7',
      'user What is 7 x 8?',
      'assistant the sum of 7 x 8',
      'the sum of 8 x 9',
    ]);
  });

  it('does all that its users do', async () => {
    const messages = {
      plain: plain('python'),
      stream: plain('python stream'),
      tool: calling('python tool', 'look_up', {}),
      talk: plain('python talk'),
      chat: plain('python chat'),
    };
    const program = new PythonProgram(python!, { ...environment(), MESSAGES: JSON.stringify(messages) });
    const lines = linesOf(await program.output(join(CLIENTS, 'use_openai.py')));
    expect(lines).toEqual([
      { text: 'Hello', status: 'completed' },
      { text: 'Hello', first: 'response.created', last: 'response.completed' },
      { text: 'done', same: true },
      { text: 'Hello', items: ['message', 'message'] },
      { text: 'Hello' },
      { param: 'prompt', code: 'unsupported_parameter', request: true },
    ]);
  });
});
