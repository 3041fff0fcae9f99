import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stepMessage } from '#agent';
import type { ChatServer } from './chat-server.js';
import { startDemoModel } from './demo-model.js';

let server: ChatServer;

beforeAll(async () => {
  server = await startDemoModel({ paceMs: 0 });
});
afterAll(() => server.close());

const post = (body: unknown) =>
  fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

interface Completion {
  choices: {
    finish_reason: string;
    message: {
      content: string | null;
      reasoning_content: string;
      tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    };
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

async function ask(content: string, more: object = {}) {
  const response = await post({ model: 'm', messages: [{ role: 'user', content }], ...more });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as Completion;
  return { ...choices[0]!.message, finishReason: choices[0]!.finish_reason };
}

const callsOf = async (content: string, tools: object[], more: object = {}) =>
  (await ask(content, { tools, ...more })).tool_calls?.map(({ function: f }) => [
    f.name,
    JSON.parse(f.arguments),
  ]);

const tool = (name: string, parameters?: object) => ({ type: 'function', function: { name, parameters } });

describe('the demo model', () => {
  it('introduces itself and says how to bring a real model', async () => {
    const { content, reasoning_content, finishReason } = await ask('Hello! Please introduce yourself.');
    expect(content).toMatch(/^Hello!.*built-in demo model.*OPENAI_BASE_URL and OPENAI_API_KEY/);
    expect(reasoning_content).not.toBe('');
    expect(finishReason).toBe('stop');
  });

  it.each([
    ['What is 6 x 7?', '6 x 7 is 42.'],
    ['2 + 3 * 4 please', '2 + 3 * 4 is 14.'],
    ['Compute 10 divided by 4', '10 divided by 4 is 2.5.'],
    ['0.1+0.2', '0.1+0.2 is 0.3.'],
    ['7 minus -3', '7 minus -3 is 10.'],
    ['1 / 0', '1 / 0 has no answer: nothing can be divided by zero.'],
  ])('works out %s', async (question, answer) => {
    expect((await ask(question)).content).toMatch(
      new RegExp(`^${answer.replaceAll(/[+*.]/g, String.raw`\$&`)}`),
    );
  });

  it('restates any other task, as often as asked in the same words', async () => {
    const task = 'Write a poem about 2024-05-01';
    const { content } = await ask(task);
    expect(content).toMatch(/^You asked me: "Write a poem about 2024-05-01"\. I am the built-in demo model/);
    expect((await ask(task)).content).toBe(content);
  });

  it('streams thinking, then text, then the usage', async () => {
    const messages = [{ role: 'user', content: 'What is 6 x 7?' }];
    const response = await post({
      model: 'm',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    const records = (await response.text()).split('\n\n').map((record) => record.replace('data: ', ''));
    expect(records.splice(-2)).toEqual(['[DONE]', '']);
    const chunks = records.map((json) => JSON.parse(json));
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    const { choices, usage } = chunks.pop();
    expect(choices).toEqual([]);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    expect(chunks.pop().choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    const deltas = chunks.slice(1).map((chunk) => Object.keys(chunk.choices[0].delta).join());
    expect(deltas.join(' ')).toMatch(/^(reasoning_content ){5,}(content ?){10,}$/);
  });

  it('calls each tool that the message names, with the JSON that stands behind it', async () => {
    const tools = [tool('add'), tool('echo'), tool('echo_all')];
    expect(await callsOf('use the tool echo with {"a":{"b":"add"}} and then add {"x":1}', tools)).toEqual([
      ['echo', { a: { b: 'add' } }],
      ['add', { x: 1 }],
    ]);
    expect(await callsOf('just talk', tools)).toBeUndefined();
    expect(await callsOf('call echo_all', tools)).toEqual([['echo_all', {}]]);
    expect(await callsOf('call echo', tools, { tool_choice: 'none' })).toBeUndefined();
    expect(await callsOf('do it', tools, { tool_choice: 'required' })).toEqual([['add', {}]]);
    const forced = { type: 'function', function: { name: 'echo' } };
    expect(await callsOf('do it', tools, { tool_choice: forced })).toEqual([['echo', {}]]);
  });

  it('makes up the arguments that a schema requires', async () => {
    const schema = {
      type: 'object',
      properties: {
        id: { enum: ['w1', 'w2'] },
        n: { type: 'integer', minimum: 3 },
        text: { type: 'string' },
        more: {},
      },
      required: ['id', 'n', 'text'],
    };
    expect(await callsOf('run_workflow now', [tool('run_workflow', schema)])).toEqual([
      ['run_workflow', { id: 'w1', n: 3, text: 'demo' }],
    ]);
  });

  it('tells what the tools said', async () => {
    const called = await ask('echo and add', { tools: [tool('echo'), tool('add')] });
    const messages = [
      { role: 'user', content: 'echo and add' },
      { role: 'assistant', content: null, tool_calls: called.tool_calls },
      { role: 'tool', tool_call_id: called.tool_calls![0]!.id, content: 'first' },
      { role: 'tool', tool_call_id: called.tool_calls![1]!.id, content: 'second' },
    ];
    const { content } = await ask('', { messages, tools: [tool('echo'), tool('add')] });
    expect(content).toMatch(/^echo said: first\nadd said: second\n\nI am the built-in demo model/);
  });

  it('fills a response format', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', minItems: 1, items: { type: 'boolean' } } },
      required: ['a'],
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } };
    expect((await ask('hello', { response_format })).content).toBe('{"a":[false]}');
    expect((await ask('hello', { response_format: { type: 'json_object' } })).content).toBe('{}');
  });

  it("gives a workflow's step the JSON that its message asks for", async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] };
    const step = { id: 's', name: 's', description: 'count', depends_on: [], output_schema: schema };
    const workflow = { id: 'w', name: 'w', description: 'd', steps: [step] };
    const asked = stepMessage({ workflow, step, outputs: [], errors: [] });
    expect((await ask(asked)).content).toBe('{"n":3}');
    const again = stepMessage({ workflow, step, outputs: [], errors: ['it is not valid JSON'] });
    expect((await ask(again)).content).toBe('{"n":3}');
  });

  it.each([
    ['{', 400],
    ['[]', 400],
    [{ model: 'm' }, 400],
    [{ model: 'm', messages: [] }, 400],
    [{ messages: [{ role: 'user', content: 'x' }] }, 400],
    [{ model: 'm', messages: [{ role: 'wizard', content: 'x' }] }, 400],
    [{ model: 'm', messages: [{ role: 'user' }] }, 400],
    [{ model: 'm', messages: [{ role: 'user', content: 'x' }], tools: [{ function: { name: 'a b' } }] }, 400],
  ])('refuses %j as OpenAI does', async (body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: 'invalid_request_error', code: null },
    });
  });

  it('lists its models and knows no other paths', async () => {
    const models = (await (await fetch(`${server.url}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['demo']);
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
  });

  it('stops when the client goes away', async () => {
    const slow = await startDemoModel({ paceMs: 50 });
    const abort = new AbortController();
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], stream: true });
    const response = await fetch(`${slow.url}/chat/completions`, {
      method: 'POST',
      body,
      signal: abort.signal,
    });
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    await slow.close();
  });
});
