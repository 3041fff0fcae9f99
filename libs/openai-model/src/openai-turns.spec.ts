import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FairSemaphore } from '#platform';
import {
  Gate,
  before,
  refusal,
  say,
  type ScriptedModel,
  startScriptedModel,
} from '../../../test/support/scripted-model.js';
import type { ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const request = (project: string, content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  tools: [],
  project,
  ...more,
});
const asked = (from: number) =>
  model.requests.slice(from).map(({ body }) => {
    const content = body.messages.at(-1)?.content;
    return typeof content === 'string' ? content : '';
  });

/** All that a call says. */
async function call(client: OpenAiModelClient, of: ModelRequest, signal = new AbortController().signal) {
  const pieces: string[] = [];
  for await (const some of client.stream(of, signal)) pieces.push(...some.map(({ kind }) => kind));
  return pieces;
}

describe('calls beyond those that the server is to have at a time', () => {
  it('wait here in turns by project, whatever they wait for', async () => {
    const from = model.requests.length;
    const gate = new Gate();
    model.script((_, n) => (n === from ? say(before(gate), 'a') : say('b')));
    // Shorter than the wait: a call that has not begun is late for nobody.
    const turns = new FairSemaphore({ room: 1 });
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '', turns, timeoutMs: 2000 });
    const first = call(client, request('loud', 'l0'));
    await gate.reached;
    const others = ['l1', 'l2', 'l3'].map((name) => call(client, request('loud', name)));
    others.push(call(client, request('quiet', 'q1')));
    expect(turns.waiting).toBe(4);
    gate.open();
    await Promise.all([first, ...others]);
    expect(asked(from)).toEqual(['l0', 'q1', 'l1', 'l2', 'l3']);
    expect([turns.inUse, turns.waiting]).toEqual([0, 0]);
    await client.close();
  });

  it('are cancelled while they wait, and take no place', async () => {
    const from = model.requests.length;
    const gate = new Gate();
    model.script((_, n) => (n === from ? say(before(gate), 'a') : say('b')));
    const turns = new FairSemaphore({ room: 1 });
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '', turns });
    const first = call(client, request('p', 'first'));
    await gate.reached;
    const controller = new AbortController();
    const waiting = call(client, request('p', 'cancelled'), controller.signal);
    const last = call(client, request('p', 'last'));
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    gate.open();
    await Promise.all([first, last]);
    expect(asked(from)).toEqual(['first', 'last']);
    await client.close();
  });

  it('get the place of a call that fails or that nobody reads to its end', async () => {
    model.script(() => refusal(400, 'bad request'));
    const turns = new FairSemaphore({ room: 1 });
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '', turns });
    await expect(call(client, request('p', 'x'))).rejects.toThrow('bad request');
    model.script(() => say('a', { kind: 'hang' }));
    for await (const pieces of client.stream(request('p', 'y'), new AbortController().signal))
      if (pieces.length > 0) break;
    expect(turns.inUse).toBe(0);
    await client.close();
  });
});

describe('a parameter that is not to be sent', () => {
  it.each<[Partial<ModelRequest>, string]>([
    [{ reasoningEffort: 'low', omit: ['reasoning_effort'] }, 'reasoning_effort'],
    [{ omit: ['stream_options'] }, 'stream_options'],
  ])('is not: %j', async (more, name) => {
    model.script(() => say('a'));
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
    await call(client, request('p', 'x', more));
    expect(model.requests.at(-1)?.body).not.toHaveProperty(name);
    await call(client, request('p', 'x', { reasoningEffort: 'low' }));
    expect(model.requests.at(-1)?.body).toHaveProperty(name);
    await client.close();
  });

  it.each<Partial<ModelRequest>>([
    { responseFormat: { name: 'o', schema: {}, strict: false }, omit: ['response_format'] },
    {
      forcedTool: 'f',
      tools: [{ name: 'f', description: '', parameters: {} }],
      omit: ['tool_choice'],
    },
  ])('is what the answer would hang on: refused, and not asked: %j', async (more) => {
    const from = model.requests.length;
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
    await expect(call(client, request('p', 'x', more))).rejects.toMatchObject({ kind: 'refused' });
    expect(model.requests.length).toBe(from);
    await client.close();
  });
});
