import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { FunctionTool, ResponseFunctionToolCall } from 'openai/resources/responses/responses';
import { Gate, before, call, refusal, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const JSON_ANSWER = { headers: { accept: 'application/json' } };

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

/** Goes on with the run of a response; returns the response that the retry begins with. */
async function retry({ id }: { readonly id: string }, body: object = {}): Promise<string> {
  const run = id.replace(/^resp_(\w+)_1$/, 'run_ses_$1');
  const answer = await client.post(`/runs/${run}/retry`, body, JSON_ANSWER);
  return answer.json<{ run_id: string }>().run_id.replace(/^run_ses_(\w+)$/, 'resp_$1_1');
}

const dataOf = (records: string) =>
  [...records.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as { type: string; response?: { id: string } },
  );

describe('the response of a retried run', () => {
  it('is of that run: read, streamed, as a base, and cancelled', async () => {
    const turn = (attempt: number) => (attempt === 0 ? refusal(400, 'no') : say('at last'));
    const failed = await openai.responses.create({ input: stage.book.on(stage.message('fails'), turn) });
    expect(failed.status).toBe('failed');
    const id = await retry(failed);
    expect(await openai.responses.retrieve(id)).toMatchObject({
      id,
      status: 'completed',
      output_text: 'at last',
    });
    expect(await openai.responses.retrieve(failed.id)).toMatchObject({ id: failed.id, status: 'failed' });
    const records = dataOf((await client.get(`/v1/responses/${id}?stream=true`)).text);
    expect(records[0]).toMatchObject({ type: 'response.created', sequence_number: 0, response: { id } });
    expect(records.at(-1)).toMatchObject({ type: 'response.completed', response: { id } });
    const message = stage.book.on(stage.message('behind'), say('behind'));
    const next = await openai.responses.create({ input: message, previous_response_id: id });
    expect(next.id.split('_')[1]).toBe(id.split('_')[1]);
    expect(stage.book.lastAsk(message)?.messages.at(-2)).toMatchObject({ content: 'at last' });
    expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'completed' });
  });

  it('is followed while it is under way', async () => {
    const gate = new Gate();
    const turn = (attempt: number) => (attempt === 0 ? refusal(400, 'no') : say('slow', before(gate), 'ly'));
    const failed = await openai.responses.create({ input: stage.book.on(stage.message('slow'), turn) });
    const id = await retry(failed, { background: true });
    await gate.reached;
    expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'in_progress' });
    const following = client.get(`/v1/responses/${id}?stream=true`);
    gate.open();
    expect(dataOf((await following).text).at(-1)).toMatchObject({ type: 'response.completed' });
  });

  it('waits anew for what the run before it has waited for, and is decided on', async () => {
    const turns = [say(...call(0, 'c', 'look_up', { word: 'a' })), say('found')];
    const first = await openai.responses.create({
      input: stage.book.on(stage.message('waits'), ...turns),
      tools,
    });
    const [asked] = first.output as ResponseFunctionToolCall[];
    await openai.responses.cancel(first.id);
    const id = await retry(first);
    expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'completed', output: [] });
    const output = { type: 'function_call_output' as const, call_id: asked?.call_id ?? '', output: 'A' };
    const second = await openai.responses.create({ previous_response_id: id, tools, input: [output] });
    expect(second).toMatchObject({ id: id.replace(/_1$/, '_2'), output_text: 'found' });
    expect(await openai.responses.retrieve(second.id)).toMatchObject({ output_text: 'found' });
    const conversation = `conv_${id.split('_')[1]}`;
    const { data } = await openai.conversations.items.list(conversation, { order: 'asc' });
    expect(data.map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
      'message',
    ]);
    const deleted = async (response: string) =>
      (await client.call('DELETE', `/v1/responses/${response}`)).json<{ erased: boolean }>().erased;
    expect([await deleted(first.id), await deleted(id), await deleted(second.id)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
