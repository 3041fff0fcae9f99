import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { call, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const JSON_ANSWER = { headers: { accept: 'application/json' } };
const TOOL = { name: 'look_up', description: 'Looks a word up', parameters: { type: 'object' } };

let stage: Stage;
let client: ServiceClient;
let openai: OpenAI;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
});
afterAll(() => stage.close());

interface Ran {
  readonly run_id: string;
  readonly session: string;
}

async function ran(body: object, query = ''): Promise<Ran> {
  return (await client.post(`/${query}`, body, JSON_ANSWER)).json<Ran>();
}

const responseOf = ({ run_id }: Ran, passage = 1): string =>
  `${run_id.replace('run_ses', 'resp')}_${passage}`;
const conversationOf = ({ session }: Ran): string => session.replace('ses', 'conv');

describe('runs that were asked for by POST /', () => {
  it('are responses, with the same stream at any time, from any record on', async () => {
    const message = stage.book.on(stage.message('plain'), say('Hel', 'lo'));
    const run = await ran({ message, streaming_tokens: true, metadata: { a: 'b' } });
    const response = await openai.responses.retrieve(responseOf(run));
    expect(response).toMatchObject({ status: 'completed', output_text: 'Hello', metadata: { a: 'b' } });
    const path = `/v1/responses/${responseOf(run)}?stream=true`;
    const whole = await client.get(path);
    expect(whole.headers['content-type']).toContain('text/event-stream');
    const records = whole.text.split('\n\n').filter((record) => record !== '');
    expect(records.at(-1)).toBe('data: [DONE]');
    for (let after = 0; after < records.length; after++) {
      const rest = await client.get(`${path}&starting_after=${after}`);
      expect(rest.text).toBe(
        records
          .slice(after + 1)
          .map((record) => `${record}\n\n`)
          .join('') || 'data: [DONE]\n\n',
      );
    }
    const streamed = await openai.responses.retrieve(responseOf(run), { stream: true });
    const types: string[] = [];
    for await (const event of streamed) types.push(event.type);
    expect(types[0]).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
  });

  it('are items of a conversation, and what stood before an answer is its input', async () => {
    const first = await ran({ message: stage.book.on(stage.message('one'), say('1')) });
    const message = stage.book.on(stage.message('two'), say('2'));
    const second = await ran({ message }, `?session=${first.session}`);
    const items = await openai.conversations.items.list(conversationOf(first), { order: 'asc', limit: 3 });
    expect(items.data.map(({ type }) => type)).toEqual(['message', 'message', 'message']);
    expect(items.has_more).toBe(true);
    const all: unknown[] = [];
    for await (const item of items) all.push(item);
    expect(all).toHaveLength(4);
    const input = await openai.responses.inputItems.list(responseOf(second));
    expect(input.data.map(({ id }) => id)).toEqual(
      (all as { id: string }[])
        .slice(0, 3)
        .map(({ id }) => id)
        .reverse(),
    );
    const item = await openai.conversations.items.retrieve(input.data[0]!.id ?? '', {
      conversation_id: conversationOf(first),
    });
    expect(item).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: message }] });
    const read = await openai.conversations.retrieve(conversationOf(first));
    expect(read).toMatchObject({ object: 'conversation', metadata: {} });
  });

  it('have a response for each wait', async () => {
    const message = stage.book.on(
      stage.message('waits'),
      say(...call(0, 'c0', 'look_up', { a: 1 })),
      say('done'),
    );
    const run = (await client.post('/', { message, tools: [TOOL] }, JSON_ANSWER)).json<
      Ran & { actions: { action_id: string }[] }
    >();
    const first = await openai.responses.retrieve(responseOf(run));
    expect(first).toMatchObject({
      status: 'completed',
      output: [{ type: 'function_call', name: 'look_up', arguments: '{"a":1}' }],
    });
    await expect(openai.responses.retrieve(responseOf(run, 2))).rejects.toMatchObject({ status: 404 });
    await client.post(`/actions/${run.actions[0]!.action_id}/resolve`, { decision: 'answer', result: 'x' });
    const events = await openai.responses.retrieve(responseOf(run, 2), { stream: true });
    for await (const event of events)
      if (event.type === 'response.output_text.done') expect(event.text).toBe('done');
    const second = await openai.responses.retrieve(responseOf(run, 2));
    expect(second).toMatchObject({ output_text: 'done', previous_response_id: responseOf(run) });
  });
});

describe('refusals', () => {
  it('have the form that the clients read', async () => {
    const unknown = await openai.responses.retrieve('resp_none').catch((error: unknown) => error);
    expect(unknown).toMatchObject({
      status: 404,
      code: 'not_found',
      param: null,
      type: 'invalid_request_error',
      requestID: expect.any(String) as unknown,
    });
    const other = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: 'annals_none', maxRetries: 0 });
    await expect(other.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    const nowhere = await client.get('/v1/files');
    expect(nowhere.json()).toMatchObject({ error: { code: 'unknown_url' } });
  });

  it.each([
    ['?stream=maybe', 'invalid_value', 'stream'],
    ['?starting_after=1', 'invalid_value', 'starting_after'],
    ['?stream=true&starting_after=-1', 'invalid_value', 'starting_after'],
    ['?strem=true', 'unknown_parameter', 'strem'],
    ['?include[]=message.output_text.logprobs', 'unsupported_value', 'include'],
  ])('name the parameter: %s', async (query, code, param) => {
    const answer = await client.get(`/v1/responses/resp_a_b_1${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code, param } });
  });
});

it('the modes are models', async () => {
  const models = await openai.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(['base', 'flash', 'max']);
  await expect(openai.models.retrieve('gpt')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});
