import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { Gate, before, call, say } from '../support/scripted-turn.js';
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
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
});
afterAll(() => stage.close());

const input = (name: string, ...said: string[]) => stage.book.on(stage.message(name), say(...said));
const sessionOf = (id: string) => `ses_${id.split('_')[1]}`;
const isGone = async (id: string) => (await client.get(`/sessions/${sessionOf(id)}`)).status === 404;

describe('what is not to be stored', () => {
  it('is answered, streamed to its end, and erased', async () => {
    const response = await openai.responses.create({ input: input('once', 'said'), store: false });
    expect(response).toMatchObject({ output_text: 'said', store: false });
    await until(() => isGone(response.id));
    await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
    const stream = openai.responses.stream({ input: input('twice', 'a', 'b'), store: false });
    const last = await stream.finalResponse();
    expect(last.output_text).toBe('ab');
    await until(() => isGone(last.id));
  });

  it('is a fork where it goes on from something, and leaves that as it is', async () => {
    const first = await openai.responses.create({ input: input('kept', 'one') });
    const message = input('not kept', 'two');
    const second = await openai.responses.create({
      input: message,
      previous_response_id: first.id,
      store: false,
    });
    expect(stage.book.lastAsk(message)?.messages).toHaveLength(4);
    await until(() => isGone(second.id));
    expect(await openai.responses.retrieve(first.id)).toMatchObject({ output_text: 'one' });
  });

  it('is erased at a wait, too, and its calls go on by value', async () => {
    const tools = [{ type: 'function' as const, name: 'f', parameters: { type: 'object' }, strict: false }];
    const message = stage.book.on(stage.message('waits'), say(...call(0, 'c', 'f', {})), say('done'));
    const first = await openai.responses.create({ input: message, tools, store: false });
    await until(() => isGone(first.id));
    const [item] = first.output as OpenAI.Responses.ResponseFunctionToolCall[];
    const second = await openai.responses.create({
      input: [
        { role: 'user', content: message },
        item!,
        { type: 'function_call_output', call_id: item!.call_id, output: '1' },
      ],
      tools,
      store: false,
    });
    expect(second.output_text).toBe('done');
  });
});

describe('the session of what is not to be stored', () => {
  it("is the response's alone: nothing else comes to it, or goes on from it", async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('alone'), say('be', before(gate), 'hind'));
    const body = { input: message, store: false, stream: true };
    const following = client.post('/v1/responses', body);
    await gate.reached;
    const started = await client.get('/runs?status=running');
    const [{ session, run_id }] = started.json<{ items: [{ session: string; run_id: string }] }>().items;
    const conversation = session.replace('ses', 'conv');
    const items = [{ role: 'user', content: 'kept?' }];
    const asked: readonly [string, object][] = [
      ['/v1/responses', { input: 'kept?', conversation }],
      [`/v1/conversations/${conversation}/items`, { items }],
      [`/v1/conversations/${conversation}`, { metadata: { a: 'b' } }],
      [`/?session=${session}`, { message: 'kept?' }],
      [`/?session=${session}`, { message: 'kept?', on_busy: 'steer' }],
      [`/sessions/${session}/fork`, {}],
    ];
    for (const [path, sent] of asked)
      expect([path, (await client.post(path, sent)).status]).toEqual([path, 404]);
    const base = { input: 'x', previous_response_id: run_id.replace(/^run_ses_(\w+)$/, 'resp_$1_1') };
    expect((await client.post('/v1/responses', base)).json()).toMatchObject({
      error: { code: 'previous_response_not_found' },
    });
    gate.open();
    expect((await following).text).toContain('"text":"behind"');
  });
});

describe('a response that is deleted', () => {
  it('is unknown, and erased with the last of its session', async () => {
    const first = await openai.responses.create({ input: input('one', '1') });
    const second = await openai.responses.create({
      input: input('two', '2'),
      previous_response_id: first.id,
    });
    const path = `/v1/responses/${first.id}`;
    expect((await client.call('DELETE', path)).json()).toEqual({
      id: first.id,
      object: 'response',
      deleted: true,
      erased: false,
    });
    expect((await client.get(path)).status).toBe(404);
    expect((await client.call('DELETE', path)).status).toBe(404);
    const base = await client.post('/v1/responses', { input: 'x', previous_response_id: first.id });
    expect(base.json()).toMatchObject({ error: { code: 'previous_response_not_found' } });
    const last = await client.call('DELETE', `/v1/responses/${second.id}`);
    expect(last.json()).toMatchObject({ erased: true });
    expect(await isGone(first.id)).toBe(true);
  });
});

describe('a conversation', () => {
  it('is made with items and metadata, changed, added to, gone on with, and deleted', async () => {
    const made = await openai.conversations.create({
      items: [{ type: 'message', role: 'user', content: 'hello' }],
      metadata: { topic: 'demo' },
    });
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'demo' } });
    expect(await openai.conversations.update(made.id, { metadata: { topic: 'other' } })).toMatchObject({
      id: made.id,
      created_at: made.created_at,
      metadata: { topic: 'other' },
    });
    const items = [{ type: 'message' as const, role: 'assistant' as const, content: 'hi' }];
    const added = await openai.conversations.items.create(made.id, { items });
    expect(added.data).toMatchObject([{ role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }]);
    const message = input('and now', 'well');
    const response = await openai.responses.create({ input: message, conversation: made.id });
    expect(response.conversation).toEqual({ id: made.id });
    const asked = stage.book.lastAsk(message)?.messages.slice(1);
    expect(asked?.map(({ content }) => content)).toEqual(['hello', 'hi', message]);
    const all = await openai.conversations.items.list(made.id, { order: 'asc' });
    expect(all.data).toHaveLength(4);
    expect((await client.history(made.id.replace('conv', 'ses'))).map(({ content }) => content)).toEqual([
      'hello',
      'hi',
      message,
      'well',
    ]);
    const item = client.call('DELETE', `/v1/conversations/${made.id}/items/${all.data[0]?.id}`);
    expect((await item).json()).toMatchObject({ error: { code: 'unsupported' } });
    expect(await openai.conversations.delete(made.id)).toMatchObject({ deleted: true });
    await expect(openai.conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  });

  it('may be left with a call, whose output the next request brings', async () => {
    const called = { type: 'function_call', call_id: 'zz', name: 'f', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'zz', output: 'NINE' };
    const talk = async (...items: object[]) =>
      (await client.post('/v1/conversations', { items })).json<{ id: string }>().id;
    const told = (message: string) =>
      stage.book
        .lastAsk(message)
        ?.messages.slice(1)
        .map(({ content }) => content);
    const refused = async (path: string, body: object, code: string) =>
      expect((await client.post(path, body)).json()).toMatchObject({
        error: { code: 'invalid_value', message: expect.stringContaining(code) as unknown },
      });

    const first = await talk({ role: 'user', content: 'hi' }, called);
    await refused(
      '/v1/responses',
      { input: 'x', conversation: first },
      'No tool output found for function call zz.',
    );
    await refused(
      `/v1/conversations/${first}/items`,
      { items: [{ ...output, call_id: 'yy' }] },
      'call_id yy',
    );
    const added = await client.post(`/v1/conversations/${first}/items`, { items: [output] });
    expect(added.status).toBe(200);
    await refused(`/v1/conversations/${first}/items`, { items: [output] }, 'No tool call found');
    const message = input('go on', 'well');
    const response = await openai.responses.create({ input: message, conversation: first });
    expect(told(message)).toEqual(['hi', null, 'NINE', message]);

    const second = await talk({ role: 'user', content: 'hi' }, called);
    const other = input('with its output', 'well');
    const asked = { input: [output, { role: 'user', content: other }], conversation: second };
    const keyed = { headers: { 'idempotency-key': 'with its output' } };
    const answer = await client.post('/v1/responses', asked, keyed);
    expect(answer.status).toBe(200);
    expect(told(other)).toEqual(['hi', null, 'NINE', other]);
    expect((await client.post('/v1/responses', asked, keyed)).text.trim()).toBe(answer.text.trim());
    await refused('/v1/conversations', { items: [output] }, 'No tool call found');

    // A fork knows what its line was left with.
    await openai.conversations.items.create(first, { items: [called as never] });
    const made = await client.post(`/sessions/${first.replace('conv', 'ses')}/fork`, {});
    const fork = made.json<{ session: string }>().session.replace('ses', 'conv');
    await refused('/v1/responses', { input: 'x', conversation: fork }, 'No tool output found');
    const before = input('before it', 'well');
    const forked = await openai.responses.create({ input: before, previous_response_id: response.id });
    expect(forked.output_text).toBe('well');
  });

  it('has each request once, where a client repeats it', async () => {
    const { id } = await openai.conversations.create();
    const body = { items: [{ role: 'user', content: 'once' }] };
    const again = { headers: { 'x-stainless-retry-count': '1' } };
    const first = await client.post(`/v1/conversations/${id}/items`, body);
    const second = await client.post(`/v1/conversations/${id}/items`, body, again);
    expect(second.text).toBe(first.text);
    const keyed = { headers: { 'idempotency-key': 'k' } };
    const third = await client.post(`/v1/conversations/${id}/items`, body, keyed);
    expect((await client.post(`/v1/conversations/${id}/items`, body, keyed)).text).toBe(third.text);
    const other = { items: [{ role: 'user', content: 'other' }] };
    expect((await client.post(`/v1/conversations/${id}/items`, other, keyed)).status).toBe(422);
    expect((await openai.conversations.items.list(id)).data).toHaveLength(2);
    const update = (topic: string, headers = keyed) =>
      client.post(`/v1/conversations/${id}`, { metadata: { topic } }, headers);
    const changed = await update('one');
    await update('two', { headers: { 'idempotency-key': 'k2' } });
    expect((await update('one')).text).toBe(changed.text);
    expect((await update('three')).json()).toMatchObject({ error: { code: 'idempotency_mismatch' } });
    expect(await openai.conversations.retrieve(id)).toMatchObject({ metadata: { topic: 'two' } });
  });
});
