import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { Gate, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
let client: ServiceClient;
let openai: OpenAI;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
});
afterAll(() => stage.close());

const asked = (message: string) => stage.book.lastAsk(message)!;
const input = (name: string, ...said: string[]) => stage.book.on(stage.message(name), say(...said));

describe('a response', () => {
  it('is what the run of its input says', async () => {
    const message = input('plain', 'Hello');
    const response = await openai.responses.create({ input: message, model: 'flash', metadata: { k: 'v' } });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello',
      model: 'flash',
      metadata: { k: 'v' },
      conversation: null,
      store: true,
    });
    expect(await openai.responses.retrieve(response.id)).toEqual(response);
    const runs = await client.get('/runs?metadata.k=v');
    expect(runs.json<{ items: object[] }>().items).toMatchObject([{ status: 'completed', mode: 'flash' }]);
  });

  it('is streamed where that is asked for, in the same bytes later', async () => {
    const message = input('streamed', 'Hel', 'lo');
    const answer = await client.post('/v1/responses', { input: message, stream: true }, JSON_ANSWER);
    expect(answer.headers['content-type']).toContain('text/event-stream');
    const run = /^\/runs\/run_ses_(\w+)$/.exec(answer.headers['content-location'] as string)?.[1];
    const again = await client.get(`/v1/responses/resp_${run}_1?stream=true`);
    expect(again.text).toBe(answer.text);
    const stream = openai.responses.stream({ input: message });
    expect((await stream.finalResponse()).output_text).toBe('Hello');
  });

  it('hands its settings to the model', async () => {
    const message = input('settings', 'ok');
    await openai.responses.create({
      input: message,
      instructions: 'Be kind.',
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      user: 'u',
      parallel_tool_calls: false,
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: true }],
      tool_choice: 'none',
    });
    expect(asked(message)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      reasoning_effort: 'low',
      verbosity: 'low',
      user: 'u',
      parallel_tool_calls: false,
      tool_choice: 'none',
      tools: [{ function: { name: 'f', strict: true } }],
    });
    expect(JSON.stringify(asked(message).messages[0])).toContain('Be kind.');
  });

  it('can begin with messages of any role, calls and images', async () => {
    const message = input('items', 'seen');
    const url = 'data:image/png;base64,aGk=';
    const response = await openai.responses.create({
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'a first answer' },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: '21' },
        { role: 'assistant', content: 'it is 21' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: message },
            { type: 'input_image', image_url: url, detail: 'low' },
          ],
        },
      ],
    });
    expect(response.output_text).toBe('seen');
    expect(asked(message).messages.slice(1)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'first' },
      {
        role: 'assistant',
        content: 'a first answer',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '21' },
      { role: 'assistant', content: 'it is 21' },
      {
        role: 'user',
        content: [
          { type: 'text', text: message },
          { type: 'image_url', image_url: { url, detail: 'low' } },
        ],
      },
    ]);
    const items = await openai.responses.inputItems.list(response.id, { order: 'asc' });
    expect(items.data.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
      'function_call',
      'function_call_output',
      'message',
      'message',
    ]);
    const session = response.id.replace(/^resp_(\w+)_\w+_1$/, 'ses_$1');
    expect((await client.history(session)).map(({ type }) => type)).toEqual([
      'user_message',
      'agent_response',
      'agent_tool_use',
      'agent_response',
      'user_message',
      'agent_response',
    ]);
  });

  it('is told what stands in files', async () => {
    const file = (name: string, data: string, type: string) => ({
      type: 'input_file' as const,
      filename: name,
      file_data: `data:${type};base64,${Buffer.from(data).toString('base64')}`,
    });
    const message = input('file', 'read');
    const content = [
      file('ships.csv', 'name,built\nVega,1998', 'text/csv'),
      { type: 'input_text' as const, text: message },
    ];
    const before = stage.book.asks.length;
    await openai.responses.create({ input: [{ role: 'user', content }] });
    const told = JSON.stringify(stage.book.asks[before]?.request.messages.at(-1)?.content);
    expect(told).toContain('[file ships.csv]');
    expect(told).toContain('Vega');
    const broken = [file('x.pdf', '%PDF-1.7 nonsense', 'application/pdf')];
    const refusal = await client.post('/v1/responses', { input: [{ role: 'user', content: broken }] });
    expect(refusal.status).toBe(400);
    expect(refusal.json()).toMatchObject({ error: { param: 'input[0].content[0].file_data' } });
  });

  it('is a run with a final output where a format is asked for', async () => {
    const message = input('format', 'let me see');
    // The last user message of the request for the output is not the run's.
    stage.book.find = () => [say('{"answer":42}')];
    const response = await openai.responses.parse({
      input: message,
      text: {
        format: {
          type: 'json_schema',
          name: 'out',
          strict: true,
          schema: {
            $schema: 'http://json-schema.org/draft-07/schema#',
            type: 'object',
            properties: { answer: { type: 'number' } },
            required: ['answer'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(JSON.parse(response.output_text)).toEqual({ answer: 42 });
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('runs in the background, and ends early when it is cancelled', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('slow'), say('a', { kind: 'gate', gate }, 'b'));
    const response = await openai.responses.create({ input: message, background: true });
    expect(['queued', 'in_progress']).toContain(response.status);
    await gate.reached;
    const cancelled = await openai.responses.cancel(response.id);
    expect(cancelled).toMatchObject({ status: 'cancelled', incomplete_details: null });
    expect(await openai.responses.cancel(response.id)).toEqual(cancelled);
    gate.open();
  });
});

const JSON_ANSWER = { headers: { accept: 'application/json' } };

describe('what a response goes on from', () => {
  it('is the end of the one before, in the same session, and for the second in a fork', async () => {
    const first = await openai.responses.create({ input: input('base', 'one') });
    const session = first.id.split('_')[1];
    const a = input('a', 'two');
    const second = await openai.responses.create({ input: a, previous_response_id: first.id });
    expect(second).toMatchObject({ previous_response_id: first.id, output_text: 'two' });
    expect(second.id.split('_')[1]).toBe(session);
    const b = input('b', 'three');
    const third = await openai.responses.create({ input: b, previous_response_id: first.id });
    expect(third.id.split('_')[1]).not.toBe(session);
    expect(
      asked(b)
        .messages.slice(1)
        .map(({ content }) => content),
    ).toEqual([expect.stringMatching(/^base/), 'one', b]);
    const items = await openai.responses.inputItems.list(third.id, { order: 'asc' });
    expect(items.data).toHaveLength(3);
    expect(items.data[0]?.id).toContain(`msg_${session}_`);
  });

  it('is one session for one, and forks for the others, when many go on at the same time', async () => {
    const first = await openai.responses.create({ input: input('race', 'one') });
    const all = await Promise.all(
      ['x', 'y', 'z'].map((name) =>
        openai.responses.create({ input: input(name, name), previous_response_id: first.id }),
      ),
    );
    expect(all.map(({ output_text }) => output_text)).toEqual(['x', 'y', 'z']);
    const sessions = all.map(({ id }) => id.split('_')[1]);
    expect(new Set(sessions).size).toBe(3);
    expect(sessions.filter((session) => session === first.id.split('_')[1])).toHaveLength(1);
  });

  it('is the end of the conversation, behind what is under way', async () => {
    const first = await openai.responses.create({ input: input('talk', 'one') });
    const conversation = `conv_${first.id.split('_')[1]}`;
    const gate = new Gate();
    const slow = stage.book.on(stage.message('slow'), say({ kind: 'gate', gate }, 'two'));
    const second = await openai.responses.create({ input: slow, conversation, background: true });
    const third = await openai.responses.create({
      input: input('last', 'three'),
      conversation: { id: conversation },
      background: true,
    });
    expect(third).toMatchObject({ status: 'queued', conversation: { id: conversation } });
    gate.open();
    const stream = await openai.responses.retrieve(third.id, { stream: true });
    for await (const event of stream)
      if (event.type === 'response.completed') expect(event.response.id).toBe(third.id);
    expect(await openai.responses.retrieve(second.id)).toMatchObject({ output_text: 'two' });
  });

  it('must be there, ended, and one', async () => {
    const refusal = (body: object) => client.post('/v1/responses', { input: 'x', ...body });
    const unknown = await refusal({ previous_response_id: 'resp_a_b_1' });
    expect(unknown.json()).toMatchObject({ error: { code: 'previous_response_not_found' } });
    const both = await refusal({ previous_response_id: 'resp_a_b_1', conversation: 'conv_a' });
    expect(both.json()).toMatchObject({ error: { code: 'mutually_exclusive_parameters' } });
    expect((await refusal({ conversation: 'conv_a' })).status).toBe(404);
    const gate = new Gate();
    const slow = stage.book.on(stage.message('slow'), say({ kind: 'gate', gate }, 'x'));
    const open = await openai.responses.create({ input: slow, background: true });
    const early = await refusal({ previous_response_id: open.id });
    expect(early.json()).toMatchObject({ error: { code: 'previous_response_not_finished' } });
    gate.open();
  });
});
