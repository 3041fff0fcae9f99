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

const tool = (name: string, parameters?: object, description?: string) => ({
  type: 'function',
  function: { name, parameters, description },
});

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

  describe('without being told a name', () => {
    const object = (properties: object) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    });
    const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
    const sell = object({ product: text, pieces: whole });
    const anything = { type: ['string', 'number', 'boolean', 'null'] };
    const tools = [
      tool('stock_of', object({ product: text }), 'How many pieces of a product are in stock.'),
      tool('sell', sell, 'Takes pieces out of the stock.'),
      tool('price_of', object({ value_1: anything }), 'The price of a part, by its number'),
      tool('transfer_to_billing', object({}), 'Hand the conversation off to billing: bills'),
      tool('search_manuals', object({ query: text }), 'Searches the documents of "manuals".'),
    ];

    it.each<[string, string, object]>([
      ['Sell two apples. How many are left?', 'sell', { product: 'apple', pieces: 2 }],
      ['How many pears are in stock?', 'stock_of', { product: 'pear' }],
      ['What is the price of part 7?', 'price_of', { value_1: 7 }],
      ['I have a question about billing.', 'transfer_to_billing', {}],
      ['How fast does the impeller turn?', 'search_manuals', { query: 'fast impeller turn' }],
      ['Which "shutdown valve" is used?', 'search_manuals', { query: 'shutdown valve' }],
    ])('%s is a call of %s', async (message, name, input) => {
      expect(await callsOf(message, tools)).toEqual([[name, input]]);
    });

    it.each(['What is 6 x 7?', 'Hello there, who are you?', 'What now?'])(
      '%s is no call',
      async (message) => {
        expect(await callsOf(message, tools)).toBeUndefined();
      },
    );

    it('does not guess between two that fit as well, and searches nothing where there is nothing', async () => {
      const twins = [tool('sell_apple', sell), tool('buy_apple', sell)];
      expect(await callsOf('What about an apple?', twins)).toBeUndefined();
      expect(await callsOf('How fast does the impeller turn?', twins)).toBeUndefined();
    });
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

  it('tells the passages of a search and the steps of a workflow', async () => {
    const said = async (result: object) => {
      const call = { id: 'c', type: 'function', function: { name: 'search_x', arguments: '{}' } };
      const messages = [
        { role: 'user', content: 'What is it?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: JSON.stringify(result) },
      ];
      return (await ask('', { messages })).content?.split('\n\n')[0];
    };
    const passages = [
      { filename: 'a.pdf', page: 2, text: 'It turns\nfast.' },
      { filename: 'b.txt', page: null, text: 'x' },
    ];
    expect(await said({ passages })).toBe('search_x found:\n- a.pdf, page 2: It turns fast.\n- b.txt: x');
    expect(await said({ passages: [], note: 'none' })).toBe('search_x found nothing.');
    const steps = [
      { id: 'a', status: 'completed', output: 'Belém' },
      { id: 'b', status: 'skipped', errors: [] },
    ];
    expect(await said({ steps })).toBe('search_x said:\n- a completed: Belém\n- b skipped');
  });

  it('gives the value of a sum, or what its answer says, as final output', async () => {
    const output = async (task: string, answer: string, properties: object) => {
      const schema = { type: 'object', properties, required: Object.keys(properties) };
      const messages = [
        { role: 'user', content: task },
        { role: 'assistant', content: answer },
        { role: 'user', content: `Give the final output "o".\n\nThe schema is:\n${JSON.stringify(schema)}` },
      ];
      const response_format = { type: 'json_schema', json_schema: { name: 'o', schema } };
      return JSON.parse((await ask('', { messages, response_format })).content ?? '') as object;
    };
    const { content } = await ask('What is 6 x 7?');
    const calculation = { expression: { type: 'string', minLength: 1 }, value: { type: 'number' } };
    const found = await output('What is 6 x 7?', content ?? '', calculation);
    expect(found).toEqual({ expression: '6 x 7', value: 42 });
    const shop = { left: { type: 'integer' }, mood: { enum: ['bad', 'good'] }, note: { type: 'string' } };
    const sold = await output('Sell two apples in a good mood', 'sell said: 10 left', shop);
    expect(sold).toEqual({ left: 10, mood: 'good', note: 'sell said: 10 left' });
    const narrow = { left: { type: 'integer', maximum: 5 }, note: { type: 'string', maxLength: 3 } };
    expect(await output('Sell', 'sell said: 10 left', narrow)).toEqual({ left: 0, note: '' });
  });

  it('gives the same to a tool that it is forced to call', async () => {
    const parameters = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] };
    const messages = [
      { role: 'user', content: 'What is 6 x 7?' },
      { role: 'assistant', content: '6 x 7 is 42.' },
      { role: 'user', content: `Give the final output.\n\nThe schema is:\n${JSON.stringify(parameters)}` },
    ];
    const more = { messages, tool_choice: { type: 'function', function: { name: 'final_output' } } };
    expect(await callsOf('', [tool('final_output', parameters)], more)).toEqual([
      ['final_output', { value: 42 }],
    ]);
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
    const { output_schema: _, ...plain } = step;
    const said = await ask(stepMessage({ workflow, step: plain, input: 'Lisbon', outputs: [], errors: [] }));
    expect(said.content).toBe('(Demo output of "s" for "Lisbon": count)');
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
