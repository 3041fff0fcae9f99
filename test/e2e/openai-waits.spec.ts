import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { FunctionTool, ResponseFunctionToolCall } from 'openai/resources/responses/responses';
import { Gate, before, call, say } from '../support/scripted-turn.js';
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

const tools: FunctionTool[] = [
  { type: 'function', name: 'look_up', parameters: { type: 'object' }, strict: false },
];
const calls = (...words: string[]) =>
  say(...words.flatMap((word, at) => call(at, `c${at}`, 'look_up', { word })));

const callsOf = ({ output }: OpenAI.Responses.Response) =>
  output.filter((item): item is ResponseFunctionToolCall => item.type === 'function_call');
const outputsOf = (response: OpenAI.Responses.Response, ...outputs: string[]) =>
  callsOf(response).map(({ call_id }, at) => ({
    type: 'function_call_output' as const,
    call_id,
    output: outputs[at] ?? '',
  }));

async function waiting(...words: string[]): Promise<OpenAI.Responses.Response> {
  const message = stage.book.on(stage.message('waits'), calls(...words), say('done'));
  return openai.responses.create({ input: message, tools });
}

describe('a response that calls functions', () => {
  it('is followed by the one that answers them all, in the same run, with what is said beside', async () => {
    const first = await waiting('a', 'b');
    expect(first).toMatchObject({ status: 'completed' });
    expect(callsOf(first).map(({ arguments: input }) => input)).toEqual(['{"word":"a"}', '{"word":"b"}']);
    const follow = { previous_response_id: first.id, tools, model: 'base' };
    await expect(
      openai.responses.create({ ...follow, input: outputsOf(first, 'A').slice(0, 1) }),
    ).rejects.toThrow(`No tool output found for function call ${callsOf(first)[1]?.call_id}.`);
    const message = stage.book.on(stage.message('hurry'), say('done, in a hurry'));
    const second = await openai.responses.create({
      ...follow,
      temperature: 0.25,
      input: [...outputsOf(first, 'A', 'B'), { role: 'user', content: message }],
    });
    expect(second).toMatchObject({
      output_text: 'done, in a hurry',
      previous_response_id: first.id,
      temperature: 0.25,
    });
    expect(second.id).toBe(first.id.replace(/_1$/, '_2'));
    const asked = stage.book.lastAsk(message);
    expect(asked).toMatchObject({ temperature: 0.25 });
    expect(asked?.messages.slice(-3)).toMatchObject([
      { role: 'tool', content: 'A' },
      { role: 'tool', content: 'B' },
      { role: 'user', content: message },
    ]);
    const input = await openai.responses.inputItems.list(second.id, { order: 'asc' });
    expect(input.data.map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'message',
    ]);
  });

  it('is answered once: the same again is the same response, something else a conflict', async () => {
    const first = await waiting('a');
    const body = { previous_response_id: first.id, tools, input: outputsOf(first, 'A') };
    const second = await openai.responses.create(body);
    expect(await openai.responses.create(body)).toEqual(second);
    await expect(
      openai.responses.create({ ...body, input: outputsOf(first, 'other') }),
    ).rejects.toMatchObject({ status: 409, code: 'conflict' });
  });

  it('of many that answer at the same time one does, and the same answers are the same response', async () => {
    const first = await waiting('a');
    const body = { previous_response_id: first.id, tools, input: outputsOf(first, 'A') };
    const all = await Promise.all([1, 2, 3].map(() => openai.responses.create(body)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  it('goes on in the same run where a client sends everything by value, as long as it is the same', async () => {
    const message = stage.book.on(stage.message('value'), calls('a'), calls('b'), say('done'));
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: message }];
    const first = await openai.responses.create({ input, tools });
    const everything = [...input, ...(first.output as never[]), ...outputsOf(first, 'A')];
    const second = await openai.responses.create({ input: everything, tools });
    expect(second).toMatchObject({ id: first.id.replace(/_1$/, '_2'), previous_response_id: first.id });
    const all = [...everything, ...(second.output as never[]), ...outputsOf(second, 'B')];
    const other = [{ role: 'user', content: 'another beginning' } as const, ...all.slice(1)];
    const elsewhere = await openai.responses.create({ input: other, tools });
    expect(elsewhere.id.split('_')[1]).not.toBe(first.id.split('_')[1]);
    const third = await openai.responses.create({ input: all, tools });
    expect(third).toMatchObject({ id: first.id.replace(/_1$/, '_3'), output_text: 'done' });
  });

  it('goes on behind an earlier response that stays the base, and in a conversation', async () => {
    const base = await openai.responses.create({ input: stage.book.on(stage.message('base'), say('ok')) });
    const message = stage.book.on(stage.message('behind'), calls('a'), calls('b'), say('done'));
    const mine = { role: 'user' as const, content: message };
    const from = { previous_response_id: base.id, tools };
    const first = await openai.responses.create({ ...from, input: [mine] });
    const input = [mine, ...(first.output as never[]), ...outputsOf(first, 'A')];
    const second = await openai.responses.create({ ...from, input });
    expect(second.id).toBe(first.id.replace(/_1$/, '_2'));
    const conversation = `conv_${first.id.split('_')[1]}`;
    const last = await openai.responses.create({
      conversation,
      tools,
      input: [mine, ...outputsOf(second, 'B')],
    });
    expect(last).toMatchObject({ output_text: 'done', conversation: { id: conversation } });
    expect(last.id).toBe(first.id.replace(/_1$/, '_3'));
  });

  it('must be of the same mode, and is not erased', async () => {
    const first = await waiting('a');
    const body = { previous_response_id: first.id, tools, input: outputsOf(first, 'A') };
    const refusal = async (more: object) =>
      (await client.post('/v1/responses', { ...body, ...more })).json<{ error: object }>().error;
    expect(await refusal({ model: 'max' })).toMatchObject({ param: 'model' });
    expect(await refusal({ store: false })).toMatchObject({ param: 'store' });
    expect((await openai.responses.create(body)).output_text).toBe('done');
  });

  it('ends its run when it is cancelled, and stays as it was', async () => {
    const first = await waiting('a');
    const cancelled = await openai.responses.cancel(first.id);
    const { output_text: _, ...read } = await openai.responses.retrieve(first.id);
    expect(cancelled).toEqual(read);
    expect(cancelled.status).toBe('completed');
    const run = first.id.replace(/^resp_(\w+)_1$/, 'run_ses_$1');
    expect((await client.get(`/runs/${run}`)).json()).toMatchObject({ status: 'cancelled' });
  });

  it('leaves the one that followed alone when it is cancelled', async () => {
    const gate = new Gate();
    const turns = [calls('a'), say('un', before(gate), 'harmed')];
    const input = stage.book.on(stage.message('cancel'), ...turns);
    const first = await openai.responses.create({ input, tools });
    const second = await openai.responses.create({
      previous_response_id: first.id,
      tools,
      input: outputsOf(first, 'A'),
      background: true,
    });
    await gate.reached;
    expect(await openai.responses.cancel(first.id)).toMatchObject({ id: first.id, status: 'completed' });
    gate.open();
    const ended = await openai.responses.retrieve(second.id, { stream: true });
    const types: string[] = [];
    for await (const { type } of ended) types.push(type);
    expect(types.at(-1)).toBe('response.completed');
    await expect(openai.responses.cancel(second.id.replace(/2$/, '3'))).rejects.toMatchObject({
      status: 404,
    });
  });
});
