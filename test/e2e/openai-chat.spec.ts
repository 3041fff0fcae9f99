import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import { call, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
let client: ServiceClient;
let openai: OpenAI;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY });
});
afterAll(() => stage.close());

const input = (name: string, ...said: string[]) => stage.book.on(stage.message(name), say(...said));
const user = (content: string) => ({ role: 'user' as const, content });
const tools: ChatCompletionFunctionTool[] = [
  { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } },
];

describe('a chat completion', () => {
  it('is what a run of the messages says', async () => {
    const message = input('plain', 'Hello');
    const messages = [
      { role: 'system' as const, content: 'Be kind.' },
      user('first'),
      { role: 'assistant' as const, content: 'yes?' },
      user(message),
    ];
    const completion = await openai.chat.completions.create({
      model: 'base',
      messages,
      stop: ['x'],
      seed: 5,
    });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'base',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: expect.any(Number) as unknown,
        completion_tokens: expect.any(Number) as unknown,
      },
    });
    const asked = stage.book.lastAsk(message);
    expect(asked).toMatchObject({ stop: ['x'], seed: 5 });
    expect(asked?.messages.slice(1)).toEqual(messages);
    const run = completion.id.replace('chatcmpl-', 'run_ses_');
    expect((await client.get(`/runs/${run}`)).json()).toMatchObject({ status: 'completed' });
    const response = await openai.responses.retrieve(`resp_${completion.id.slice('chatcmpl-'.length)}_1`);
    expect(response.output_text).toBe('Hello');
  });

  it('is streamed in chunks, with what was used at the end', async () => {
    const message = input('streamed', 'Hel', 'lo');
    const stream = openai.chat.completions.stream({
      model: 'base',
      messages: [user(message)],
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) as unknown },
    });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Hello');
  });

  it('ends with calls of functions, streamed and not, and goes on by value', async () => {
    const message = stage.book.on(
      stage.message('calls'),
      say('let me see', ...call(0, 'a', 'look_up', { n: 1 }), ...call(1, 'b', 'look_up', { n: 2 })),
      say('done'),
    );
    const body = { model: 'base', messages: [user(message)], tools };
    const first = await openai.chat.completions.create(body);
    expect(first.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'let me see', tool_calls: [{ type: 'function' }, { type: 'function' }] },
    });
    const said = first.choices[0]!.message;
    const results = said.tool_calls!.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'x',
    }));
    const second = await openai.chat.completions.create({
      ...body,
      messages: [user(message), said, ...results],
    });
    expect(second.choices[0]?.message.content).toBe('done');
    const streamed = await openai.chat.completions.stream(body).finalChatCompletion();
    expect(
      streamed.choices[0]?.message.tool_calls?.map((one) => 'function' in one && one.function.arguments),
    ).toEqual(['{"n":1}', '{"n":2}']);
  });

  it('is the output alone where a format is asked for', async () => {
    const message = input('format', 'let me see');
    stage.book.find = () => [say('{"n": 1}')];
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const completion = await openai.chat.completions.create({
      model: 'base',
      messages: [user(message)],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ n: 1 });
  });

  it('is an error where its run fails, which no client repeats by itself', async () => {
    const message = stage.book.on(stage.message('fails'), {
      kind: 'status',
      status: 400,
      body: '{}',
    } as never);
    const before = stage.book.asks.length;
    await expect(
      openai.chat.completions.create({ model: 'base', messages: [user(message)] }),
    ).rejects.toMatchObject({ status: 500, code: 'server_error' });
    expect(stage.book.asks.length).toBeLessThanOrEqual(before + 2);
    const stream = openai.chat.completions.stream({ model: 'base', messages: [user(message)] });
    await expect(stream.finalChatCompletion()).rejects.toThrow('model_unavailable');
  });

  it('is erased where it is not to be stored', async () => {
    const messages = [user(input('once', 'said'))];
    const completion = await openai.chat.completions.create({ model: 'flash', messages, store: false });
    const session = completion.id.replace(/^chatcmpl-(\w+)_\w+$/, 'ses_$1');
    await until(async () => (await client.get(`/sessions/${session}`)).status === 404);
  });

  it.each<[object, string, string | null]>([
    [{ messages: [] }, 'invalid_value', 'messages'],
    [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages[0].content'],
    [{ messages: [{ role: 'critic', content: 'x' }] }, 'unsupported_value', 'messages[0].role'],
    [{ messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] }, 'invalid_value', 'messages'],
    [{ messages: [{ role: 'user', content: 'x' }], n: 2 }, 'unsupported_value', 'n'],
    [
      { messages: [{ role: 'user', content: 'x' }], logit_bias: { 1: 2 } },
      'unsupported_parameter',
      'logit_bias',
    ],
    [
      {
        messages: [{ role: 'user', content: 'x' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 5 } } }],
      },
      'invalid_value',
      'tools[0].function.parameters.type',
    ],
  ])('refuses %j', async (body, code, param) => {
    const answer = await client.post('/v1/chat/completions', { model: 'base', ...body });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code, param } });
  });

  it('cannot be looked up as one', async () => {
    const answers = [
      await client.get('/v1/chat/completions'),
      await client.get('/v1/chat/completions/chatcmpl-a'),
      await client.call('DELETE', '/v1/chat/completions/chatcmpl-a'),
    ];
    for (const answer of answers) expect(answer.json()).toMatchObject({ error: { code: 'unsupported' } });
  });
});
