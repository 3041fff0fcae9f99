import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type RecordedRequest,
  refusal,
  say,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from '../../../test/support/scripted-model.js';
import type { ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const user = (content: string) => ({ role: 'user' as const, content });
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [{ role: 'system', content: 's' }, user('a'), user('b')],
  tools: [],
  reasoningEffort: 'medium',
  ...more,
});

/** Asks so many times, of one server that refuses; what it was asked. */
async function asked(
  times: number,
  refuses: (body: RecordedRequest['body']) => ScriptedTurn | null,
  of = request(),
) {
  const before = model.requests.length;
  model.script((body) => refuses(body) ?? say('ok'));
  const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
  try {
    for (let n = 0; n < times; n++)
      for await (const pieces of client.stream(of, new AbortController().signal))
        expect(pieces).toBeDefined();
  } finally {
    await client.close();
  }
  return model.requests.slice(before).map(({ body }) => body);
}

describe('a parameter that the server refuses', () => {
  it.each([
    [400, 'There is no argument reasoning_effort for this model.'],
    [422, 'Extra inputs are not permitted: reasoning_effort'],
    [400, '"llama3" does not support thinking'],
  ])('is left out, and from then on: %i %s', async (status, words) => {
    const bodies = await asked(2, (body) => ('reasoning_effort' in body ? refusal(status, words) : null));
    expect(bodies.map((body) => 'reasoning_effort' in body)).toEqual([true, false, false]);
  });

  it.each([
    ['medium', 'Jinja Exception: reasoning_effort error : medium, should be no_think/low/high', 'low'],
    ['high', "Unsupported value: 'high'. Supported values are: 'none', 'low', and 'medium'.", 'medium'],
    ['medium', '`reasoning_effort` must be one of `none` or `default`', 'default'],
    ['low', "reasoning_effort: Input should be 'medium', 'high' or 'xhigh'", 'medium'],
  ] as const)('has another value where %s is refused: %s', async (reasoningEffort, words, other) => {
    const isRefused = (body: RecordedRequest['body']) => body.reasoning_effort === reasoningEffort;
    const bodies = await asked(
      2,
      (body) => (isRefused(body) ? refusal(500, `reasoning_effort: ${words}`) : null),
      request({ reasoningEffort }),
    );
    expect(bodies.map((body) => body.reasoning_effort)).toEqual([reasoningEffort, other, other]);
  });

  it('is left out where the other value is refused, too', async () => {
    const words = 'reasoning_effort must be one of low, high';
    const bodies = await asked(1, (body) => ('reasoning_effort' in body ? refusal(400, words) : null));
    expect(bodies.map((body) => body.reasoning_effort)).toEqual(['medium', 'low', undefined]);
  });

  it('is learnt by each project for itself, for a refusal may say what a caller wants it to', async () => {
    const refuses = (body: RecordedRequest['body']) =>
      'reasoning_effort' in body ? refusal(400, 'no reasoning_effort') : null;
    const before = model.requests.length;
    model.script((body) => refuses(body) ?? say('ok'));
    const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
    for (const project of ['a', 'b', 'a', 'b'])
      for await (const pieces of client.stream(request({ project }), new AbortController().signal))
        expect(pieces).toBeDefined();
    await client.close();
    const bodies = model.requests.slice(before).map(({ body }) => body);
    expect(bodies.map((body) => 'reasoning_effort' in body)).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is left out one after the other', async () => {
    const bodies = await asked(1, (body) => {
      if ('stream_options' in body) return refusal(400, 'unknown field stream_options');
      return 'reasoning_effort' in body ? refusal(400, 'unknown field reasoning_effort') : null;
    });
    expect(bodies.length).toBe(3);
  });

  it.each([
    [400, 'bad request'],
    [401, 'no access to reasoning_effort'],
    [404, 'no such model'],
  ])('is not what %i "%s" is about: asked once', async (status, words) => {
    const before = model.requests.length;
    await expect(asked(1, () => refusal(status, words))).rejects.toMatchObject({ kind: 'refused' });
    expect(model.requests.length).toBe(before + 1);
  });
});

describe('the order of messages that the server refuses', () => {
  it.each([
    [400, 'user and assistant have to take turns after the system message.'],
    [500, 'Conversation roles must alternate user/assistant/user/assistant/...'],
    [400, 'found multiple "user" roles in a row'],
    [400, "Unexpected role 'user' after role 'tool'"],
  ])('is the strict one from then on: %i %s', async (status, words) => {
    const bodies = await asked(2, (body) =>
      body.messages.some((one, at) => one.role === body.messages[at + 1]?.role)
        ? refusal(status, words)
        : null,
    );
    const told = bodies.map((body) => body.messages.map(({ role }) => role).join());
    const strict = 'system,user,assistant,user';
    expect(told).toEqual(['system,user,user', strict, strict]);
    expect(bodies[1]?.messages[2]?.content).toBe('(no answer)');
  });
});

describe('fields that a server wants of the calls of others, or does not want back', () => {
  const call = { id: 'call_1:a', name: 'f', arguments: '{}' };
  const history = (provider?: string): ModelRequest['messages'] => [
    user('a'),
    { role: 'assistant', content: '', toolCalls: [call], ...(provider === undefined ? {} : { provider }) },
    { role: 'tool', callId: call.id, content: 'r' },
  ];
  const said = (body: RecordedRequest['body']) => body.messages[1] as unknown as Record<string, unknown>;
  const callIn = (body: RecordedRequest['body']) =>
    (said(body)['tool_calls'] as Record<string, unknown>[])[0]!;
  const of = (messages: ModelRequest['messages']) => request({ messages });

  it('are there from then on', async () => {
    const words = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    const bodies = await asked(
      2,
      (body) => ('reasoning_content' in said(body) ? null : refusal(400, words)),
      of(history()),
    );
    expect(bodies.map((body) => said(body)['reasoning_content'])).toEqual([undefined, '', '']);
    expect(bodies.every((body) => body.reasoning_effort === 'medium')).toBe(true);
  });

  it('are what is documented for calls of another model', async () => {
    const words = 'Function call is missing a thought_signature in functionCall parts.';
    const bodies = await asked(
      1,
      (body) => ('extra_content' in callIn(body) ? null : refusal(400, words)),
      of(history()),
    );
    expect(bodies.length).toBe(2);
    expect(callIn(bodies[1]!)['extra_content']).toEqual({
      google: { thought_signature: 'skip_thought_signature_validator' },
    });
  });

  it.each([
    "messages.1: property 'reasoning' is unsupported",
    'messages.1.reasoning: Extra inputs are not permitted',
  ])('do not go back: %s', async (words) => {
    const server = createHash('sha256').update(model.url).digest('hex').slice(0, 16);
    const message = { reasoning: 'hm', kept: 1 };
    const bodies = await asked(
      2,
      (body) => ('reasoning' in said(body) ? refusal(400, words) : null),
      of(history(JSON.stringify({ server, model: 'm', message }))),
    );
    expect(bodies.map((body) => [said(body)['reasoning'], said(body)['kept']])).toEqual([
      ['hm', 1],
      [undefined, 1],
      [undefined, 1],
    ]);
  });

  it.each([
    'Tool call id was call_1:a but must be a-z, A-Z, 0-9, with a length of 9.',
    'Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!',
    "Invalid 'messages[1].tool_calls[0].id': string too long.",
  ])('are ids of nine letters and digits: %s', async (words) => {
    const isShort = (body: RecordedRequest['body']) => /^[a-zA-Z0-9]{9}$/.test(String(callIn(body)['id']));
    const bodies = await asked(2, (body) => (isShort(body) ? null : refusal(400, words)), of(history()));
    expect(bodies.map(isShort)).toEqual([false, true, true]);
    for (const body of bodies) expect(body.messages[2]?.tool_call_id).toBe(callIn(body)['id']);
  });

  it('are tools, wherever calls stand in the history', async () => {
    const [body] = await asked(1, () => null, of(history()));
    expect(body).toMatchObject({ tools: [{ function: { name: 'f' } }], tool_choice: 'none' });
  });

  it.each([
    'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
    "Unexpected role 'tool'",
  ])('are told in words where the template knows of no calls: %s', async (words) => {
    const hasCalls = (body: RecordedRequest['body']) => body.messages.some(({ role }) => role === 'tool');
    const messages = [...history(), ...history().slice(1), user('b')];
    const bodies = await asked(2, (body) => (hasCalls(body) ? refusal(400, words) : null), of(messages));
    expect(bodies.at(-1)).toEqual(bodies.at(-2));
    expect(bodies.at(-1)?.messages).toEqual([
      user('a'),
      { role: 'assistant', content: '[called f with {}]' },
      user('[result of f: r]'),
      { role: 'assistant', content: '[called f with {}]' },
      user('[result of f: r]'),
      { role: 'assistant', content: '(no answer)' },
      user('b'),
    ]);
  });
});
