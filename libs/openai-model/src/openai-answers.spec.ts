import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  call,
  type ScriptedAnswer,
  say,
  type ScriptedModel,
  startScriptedModel,
  thinking,
} from '../../../test/support/scripted-model.js';
import type { ModelPiece, ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
let client: OpenAiModelClient;

beforeAll(async () => {
  model = await startScriptedModel();
  client = new OpenAiModelClient({ baseUrl: model.url, apiKey: 'sk-test-0123456789' });
});

afterAll(async () => {
  await client.close();
  await model.close();
});

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [] };

async function arrays(turn: ScriptedAnswer, asked = request): Promise<(readonly ModelPiece[])[]> {
  model.script([turn]);
  const got = [];
  for await (const pieces of client.stream(asked, new AbortController().signal)) got.push(pieces);
  return got;
}

/** The pieces of a turn, joined per block, and its end. */
async function ask(turn: ScriptedAnswer, asked = request) {
  const pieces = (await arrays(turn, asked)).flat();
  const end = pieces.at(-1);
  if (end?.kind !== 'end') throw new Error('no end');
  const blocks: { kind: string; text: string }[] = [];
  for (const piece of pieces.slice(0, -1)) {
    if (!('text' in piece)) throw new Error('two ends');
    if (blocks.at(-1)?.kind === piece.kind) blocks.at(-1)!.text += piece.text;
    else blocks.push({ ...piece });
  }
  return { blocks, end };
}

describe('an answer of the model', () => {
  it('comes as thinking, text and an end with the usage that the server gave', async () => {
    const answer = await ask({
      steps: [...thinking('I ', 'think'), 'Hello ', 'there'],
      usage: { input: 12, output: 7 },
    });
    expect(answer).toEqual({
      blocks: [
        { kind: 'thinking', text: 'I think' },
        { kind: 'text', text: 'Hello there' },
      ],
      end: {
        kind: 'end',
        finishReason: 'stop',
        toolCalls: [],
        usage: {
          inputTokens: 12,
          outputTokens: 7,
          estimated: false,
          reported: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
        },
      },
    });
  });

  it('merges what came together and shows each gap in the stream', async () => {
    const got = await arrays(say('a', 'b', { kind: 'delay', ms: 60 }, 'c'));
    expect(got.every((pieces) => pieces.length > 0)).toBe(true);
    expect(got.flat().filter((piece) => piece.kind === 'text').length).toBeLessThanOrEqual(3);
    expect(got.length).toBeGreaterThanOrEqual(2);
    expect(got.at(-1)?.at(-1)?.kind).toBe('end');
  });

  it.each(['reasoning', 'reasoning_content'])('takes thinking from delta.%s', async (thinkingField) => {
    const { blocks } = await ask({ steps: [...thinking('hm'), 'yes'], thinkingField });
    expect(blocks).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'yes' },
    ]);
  });

  it.each([
    ['{"reasoning":{"text":"hm"}}', 'thinking'],
    ['{"content":[{"type":"text","text":"hm"}]}', 'text'],
    ['{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}', 'thinking'],
    ['{"refusal":"hm"}', 'text'],
  ])('understands the delta %s', async (delta, kind) => {
    const { blocks } = await ask(say({ kind: 'data', json: `{"choices":[{"index":0,"delta":${delta}}]}` }));
    expect(blocks).toEqual([{ kind, text: 'hm' }]);
  });

  it('takes the usage from the last choice too', async () => {
    const { end } = await ask({ steps: ['x'], usage: { input: 3, output: 4 }, usageOnLastChunk: true });
    expect(end.usage).toMatchObject({ inputTokens: 3, outputTokens: 4, estimated: false });
  });

  it('estimates the usage when there is none, and says so', async () => {
    const { end } = await ask({ steps: ['12345678'], usage: null });
    expect(end.usage).toMatchObject({ outputTokens: 2, estimated: true, reported: {} });
    expect(end.usage.inputTokens).toBeGreaterThan(5);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['end_turn', 'stop'],
    ['tool_calls', 'stop'],
  ])('reads finish reason %s of a text as %s', async (given, read) => {
    expect((await ask({ steps: ['x'], finishReason: given })).end.finishReason).toBe(read);
  });

  it.each(['stop', 'tool_calls', 'function_call', 'whatever'])(
    'reads finish reason %s with calls as tool_calls',
    async (finishReason) => {
      const { end } = await ask({ steps: call(0, 'c', 'f'), finishReason });
      expect(end.finishReason).toBe('tool_calls');
    },
  );

  it('is complete without [DONE], and does not wait for it', async () => {
    const { end } = await ask({ steps: ['x'], done: false });
    expect(end.finishReason).toBe('stop');
    const later = await ask({ steps: ['x'], done: false, contentType: 'text/plain' });
    expect(later.end.finishReason).toBe('stop');
  });

  it('is not disturbed by comments, other line ends or a missing role', async () => {
    for (const newline of ['\n', '\r\n', '\r'] as const) {
      const comment = { kind: 'comment', text: 'keep-alive' } as const;
      const { blocks } = await ask({
        steps: [comment, 'a', comment, 'b'],
        newline,
        role: false,
        packetBytes: 7,
      });
      expect(blocks).toEqual([{ kind: 'text', text: 'ab' }]);
    }
  });

  it('takes U+2028, replaces U+0000 and joins halves of an emoji from two chunks', async () => {
    const steps = ['a\u2028b', '\u0000', '\ud83d', '\ude00', '\ud83d', ...thinking('\ude00', '\ud83d')];
    for (const packetBytes of [50, 5000]) {
      const { blocks } = await ask({ steps, packetBytes });
      expect(blocks).toEqual([
        { kind: 'text', text: 'a\u2028b\uFFFD😀\uFFFD' },
        { kind: 'thinking', text: '\uFFFD\uFFFD' },
      ]);
    }
  });

  it('is the same text however it is cut into chunks and packets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (texts, packetBytes) => {
          const { blocks } = await ask({ steps: texts, packetBytes });
          expect(blocks.map((block) => block.text).join('')).toBe(texts.join('').replaceAll('\0', '\uFFFD'));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('the tool calls of an answer', () => {
  const data = (calls: string): { kind: 'data'; json: string } => ({
    kind: 'data',
    json: `{"choices":[{"index":0,"delta":{"tool_calls":${calls}}}]}`,
  });
  const callsOf = async (...pieces: string[]) => (await ask(say(...pieces.map(data)))).end.toolCalls;

  it('are put together from their pieces, by index', async () => {
    const { end } = await ask(
      say(
        { kind: 'call', index: 0, id: 'a', name: 'get_', arguments: '' },
        { kind: 'call', index: 1, id: 'b', name: 'add', arguments: '' },
        { kind: 'call', index: 0, name: 'time' },
        { kind: 'call', index: 1, arguments: '{"x":' },
        { kind: 'call', index: 0, arguments: '{"zone":"UTC"}' },
        { kind: 'call', index: 1, arguments: '1}' },
      ),
    );
    expect(end.toolCalls).toEqual([
      { id: 'a', name: 'get_time', arguments: '{"zone":"UTC"}' },
      { id: 'b', name: 'add', arguments: '{"x":1}' },
    ]);
  });

  it('may all stand at index 0, or at none, when their ids differ', async () => {
    for (const index of ['"index":0,', '']) {
      const one = (id: string) =>
        `[{${index}"id":"${id}","function":{"name":"f","arguments":"{\\"n\\":\\"${id}\\"}"}}]`;
      expect(await callsOf(one('a'), one('b'))).toEqual([
        { id: 'a', name: 'f', arguments: '{"n":"a"}' },
        { id: 'b', name: 'f', arguments: '{"n":"b"}' },
      ]);
    }
  });

  it('get ids when they have none, and unique ones when they have not', async () => {
    const f = '"function":{"name":"f","arguments":{"n":1}}';
    expect(await callsOf(`[{"index":0,${f}},{"index":1,${f}}]`)).toEqual([
      { id: 'call_0', name: 'f', arguments: '{"n":1}' },
      { id: 'call_1', name: 'f', arguments: '{"n":1}' },
    ]);
    const same = await callsOf(`[{"index":0,"id":"x",${f}},{"index":1,"id":"x",${f}}]`);
    expect(same.map(({ id }) => id)).toEqual(['x', 'x_1']);
  });

  it('keep their name when a server repeats it, and have arguments when it gives none', async () => {
    const repeated = ['{\\"a\\"', ':1}'].map(
      (args) => `[{"index":0,"id":"i","function":{"name":"f","arguments":"${args}"}}]`,
    );
    expect(await callsOf(...repeated)).toEqual([{ id: 'i', name: 'f', arguments: '{"a":1}' }]);
    expect(await callsOf('[{"index":0,"id":"i","function":{"name":"f"}}]')).toEqual([
      { id: 'i', name: 'f', arguments: '{}' },
    ]);
  });

  it('are left as broken as the model wrote them', async () => {
    const { end } = await ask({ steps: call(0, 'i', 'f', '{"a":'), finishReason: 'length' });
    expect(end).toMatchObject({ finishReason: 'length', toolCalls: [{ arguments: '{"a":' }] });
  });
});

describe('a request to the model', () => {
  it('is what Chat Completions expects', async () => {
    await ask(say('x'), {
      model: 'gpt',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'i', name: 'f', arguments: '{broken' }] },
        { role: 'tool', callId: 'i', content: 'r' },
        { role: 'assistant', content: 'done' },
        { role: 'user', content: 'again' },
      ],
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
      reasoningEffort: 'low',
      responseFormat: { name: 'my output', schema: { type: 'object' }, strict: true },
      forcedTool: 'f',
    });
    const { body, headers } = model.requests.at(-1)!;
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-test-0123456789',
      'content-type': 'application/json',
    });
    expect(body).toEqual({
      model: 'gpt',
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'my_output', strict: true, schema: { type: 'object' } },
      },
      tool_choice: { type: 'function', function: { name: 'f' } },
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'i', content: 'r' },
        { role: 'assistant', content: 'done' },
        { role: 'user', content: 'again' },
      ],
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
      ],
    });
  });

  it('leaves out what was not asked for', async () => {
    await ask(say('x'));
    expect(Object.keys(model.requests.at(-1)!.body).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ]);
  });
});
