import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { say, type ScriptedModel, startScriptedModel } from '../../../test/support/scripted-model.js';
import { chunk, said, sse } from '../../../test/support/model-answers.js';
import type { ModelMessage } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

type Sent = Readonly<Record<string, unknown>> & { readonly role: string };

/** The messages that go over the wire for a session that was told so far. */
async function sent(messages: readonly ModelMessage[], name = 'm', url = model.url): Promise<Sent[]> {
  model.script(() => say('ok'));
  const client = new OpenAiModelClient({ baseUrl: url, apiKey: '' });
  try {
    const request = { model: name, messages, tools: [] };
    for await (const pieces of client.stream(request, new AbortController().signal))
      expect(pieces).toBeDefined();
  } finally {
    await client.close();
  }
  return model.requests.at(-1)!.body.messages as unknown as Sent[];
}

/** What the client keeps of an answer of the same server. */
async function provided(answer: string, name = 'm'): Promise<string | undefined> {
  model.script(() => ({ kind: 'status', status: 200, body: answer }));
  const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
  let provider: string | undefined;
  const request = { model: name, messages: [{ role: 'user' as const, content: 'a' }], tools: [] };
  for await (const pieces of client.stream(request, new AbortController().signal))
    for (const piece of pieces) if (piece.kind === 'end') provider = piece.provider;
  await client.close();
  return provider;
}

const piece = (index: number, more: object) => ({
  index,
  id: `c${index}`,
  function: { name: 'f', arguments: '{}' },
  ...more,
});
const calls = (...pieces: object[]) => sse(chunk({ tool_calls: pieces }, 'tool_calls'));
const f = (id: string) => ({ id, name: 'f', arguments: '{}' });
const told = (provider: string | undefined, ...ids: string[]): ModelMessage[] => [
  { role: 'user', content: 'a' },
  {
    role: 'assistant',
    content: '',
    toolCalls: ids.map(f),
    ...(provider === undefined ? {} : { provider }),
  },
  ...ids.map((callId): ModelMessage => ({ role: 'tool', callId, content: 'r' })),
];

describe('what a server sent of its own', () => {
  const signature = { extra_content: { google: { thought_signature: 'c2ln+/=' } } };
  const details = [{ type: 'reasoning.encrypted', data: 'zz', id: 'rs_1', format: 'x', index: 0 }];

  it('goes back to it with its message and its calls', async () => {
    const answer = sse(
      chunk({ reasoning_content: 'hm', reasoning_details: details }),
      chunk({ tool_calls: [piece(0, {}), piece(1, signature)] }),
      chunk({ tool_calls: [{ index: 1, provider_specific_fields: { a: [1, null, { b: '' }] } }] }),
      chunk({}, 'tool_calls'),
    );
    const messages = await sent(told(await provided(answer), 'c0', 'c1'));
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      reasoning_details: details,
      tool_calls: [
        { id: 'c0', type: 'function', function: { name: 'f', arguments: '{}' } },
        {
          id: 'c1',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          ...signature,
          provider_specific_fields: { a: [1, null, { b: '' }] },
        },
      ],
    });
  });

  it('goes back with the function that it stood in, and with a call that has another id by then', async () => {
    const inner = { name: 'f', arguments: '{}', thought_signature: 'c2ln' };
    const provider = await provided(calls({ index: 0, id: 'c0', function: inner }));
    const messages = await sent([...told(undefined, 'c0'), ...told(provider, 'c0')]);
    expect(messages[4]).toMatchObject({ tool_calls: [{ id: 'c0_1', function: inner }] });
  });

  it('goes back as the list of parts that a content was', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const yes = { type: 'text', text: 'yes' };
    for (const content of [[yes], [{ type: 'text', text: 'ye' }, 's'], 'yes']) {
      const provider = await provided(
        sse(chunk({ content: [thinking] }), chunk({ content }), chunk({}, 'stop')),
      );
      const messages = await sent([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'yes', provider: provider! },
        { role: 'user', content: 'b' },
      ]);
      expect(messages[1]).toEqual({ role: 'assistant', content: [thinking, yes] });
    }
  });

  it('goes to no other model and to no other server', async () => {
    const provider = await provided(calls(piece(0, signature)));
    const history = told(provider, 'c0');
    const plain = { id: 'c0', type: 'function', function: { name: 'f', arguments: '{}' } };
    for (const [name, url, call] of [
      ['m', model.url, { ...plain, ...signature }],
      ['other', model.url, plain],
      ['m', model.url.replace('127.0.0.1', 'localhost'), plain],
      ['m', model.url, { ...plain, ...signature }],
    ] as const)
      expect((await sent(history, name, url))[1]).toMatchObject({ tool_calls: [call] });
  });
});

describe('the pieces of a field that nobody knows', () => {
  const kept = (...values: unknown[]) => {
    const pieces = values.map((foo, at) =>
      chunk({ tool_calls: [at === 0 ? piece(0, { foo }) : { index: 0, foo }] }),
    );
    const { provider } = said(sse(...pieces, chunk({}, 'tool_calls'))).end;
    return (JSON.parse(provider!) as { calls: [{ foo: unknown }] }).calls[0].foo;
  };

  it.each<[string, unknown[], unknown]>([
    ['are one text', ['ab', 'cd'], 'abcd'],
    ['are said again', ['ab', 'ab'], 'ab'],
    ['hold what came before', ['ab', 'abcd'], 'abcd'],
    ['are one object', [{ a: 'x' }, { a: 'y', b: { c: 1 } }], { a: 'xy', b: { c: 1 } }],
    [
      'say what it is',
      [
        { type: 't', data: 'x' },
        { type: 't', data: 'x' },
      ],
      { type: 't', data: 'xx' },
    ],
  ])('%s', (_, values, expected) => expect(kept(...values)).toEqual(expected));

  it('are a field of an object, whatever its name is', () => {
    const answer = `data: {"choices":[{"delta":{"content":"a","__proto__":{"x":1}},"finish_reason":"stop"}]}\n\n`;
    expect(said(answer).end.provider).toBeUndefined();
  });
});
