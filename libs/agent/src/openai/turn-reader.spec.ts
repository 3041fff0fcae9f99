import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ModelFailure, type ModelPiece } from '../model-client.js';
import { TurnReader } from './turn-reader.js';

const options = { apiKey: '', server: 's', model: 'm' };

type End = Extract<ModelPiece, { kind: 'end' }>;

/** What is said in an answer that comes in pieces of so many bytes. */
function read(answer: string, size = Infinity, more: object = {}) {
  const reader = new TurnReader({ ...options, ...more });
  const bytes = Buffer.from(answer);
  const pieces: ModelPiece[] = [];
  for (let at = 0; at < bytes.length && !reader.isDone; at += Math.min(size, bytes.length))
    pieces.push(...reader.feed(bytes.subarray(at, at + size)));
  reader.close();
  pieces.push(...reader.feed(Buffer.alloc(0)), ...reader.end(0));
  const end = pieces.at(-1) as End;
  let text = '';
  let thinking = '';
  for (const piece of pieces) {
    if (piece.kind === 'text') text += piece.text;
    if (piece.kind === 'thinking') thinking += piece.text;
    if (piece.kind === 'was_thinking') {
      thinking += text;
      text = '';
    }
  }
  return { text, thinking, end, beginsInside: reader.beginsInside };
}

/** However it is cut, it says the same. */
function said(answer: string, more: object = {}) {
  const whole = read(answer, Infinity, more);
  for (const size of [1, 7]) expect(read(answer, size, more)).toEqual(whole);
  return whole;
}

const chunk = (delta: object, reason: unknown = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] });
const sse = (...data: string[]) => data.map((one) => `data: ${one}\n\n`).join('');
const whole = (message: object, reason: unknown = 'stop') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: reason }],
});
const stop = chunk({}, 'stop');
const a = chunk({ content: 'a' });
const b = chunk({ content: 'b' });
const DONE = '[DONE]';
const fixture = (name: string) => readFileSync(`test/fixtures/model-answers/${name}`, 'utf8');

describe('the envelope of an answer', () => {
  it.each<[string, string]>([
    ['a stream', sse(a, b, stop, DONE)],
    ['a stream with a byte order mark', `\uFEFF${sse(a, b, stop, DONE)}`],
    ['a stream behind empty lines and comments', `\n\n: hello\n\n${sse(a, b, stop, DONE)}`],
    ['a stream with CRLF', sse(a, b, stop, DONE).replaceAll('\n', '\r\n')],
    ['a stream without a blank behind data:', sse(a, b, stop, DONE).replaceAll('data: ', 'data:')],
    ['a stream without the last empty line', sse(a, b, stop).trimEnd()],
    ['a stream whose [DONE] has no empty line', `${sse(a, b)}data: [DONE]`],
    ['a stream with named events', sse(a, b, stop, DONE).replaceAll('data:', 'event: message\ndata:')],
    ['a stream without empty lines', [a, b, stop, DONE].map((one) => `data: ${one}\n`).join('')],
    ['a stream of JSON over several lines', sse(a, b, stop, DONE).replaceAll(',"delta"', ',\ndata: "delta"')],
    ['a stream with records that say nothing', sse('{}', a, '{"type":"ping"}', b, '{"id":"x"}', stop, DONE)],
    ['lines of JSON', [a, b, stop].join('\n')],
    ['a list of pieces', `[${[a, b, stop].join(',')}]`],
    ['one JSON object', JSON.stringify(whole({ role: 'assistant', content: 'ab' }))],
    ['one JSON object in lines', `\n${JSON.stringify(whole({ content: 'ab' }), null, 2)}\n`],
    ['one JSON object as a record', sse(JSON.stringify(whole({ content: 'ab' })), DONE)],
    ['one JSON object without a reason', JSON.stringify(whole({ content: 'ab' }, null))],
    [
      'one JSON object with a list as content',
      JSON.stringify(whole({ content: [{ type: 'text', text: 'ab' }] })),
    ],
    [
      'messages in place of deltas',
      sse(a.replace('delta', 'message'), b.replace('delta', 'message'), stop, DONE),
    ],
    [
      'messages that grow',
      sse(
        JSON.stringify(whole({ content: 'a' }, null)),
        JSON.stringify(whole({ content: 'ab' }, 'stop')),
        DONE,
      ),
    ],
    ['deltas, and the whole message behind them', sse(a, b, JSON.stringify(whole({ content: 'ab' })), DONE)],
    [
      "Ollama's own lines",
      '{"message":{"role":"assistant","content":"a"},"done":false}\n{"message":{"content":"b"},"done":true}\n',
    ],
    ['the text of a completion', sse('{"choices":[{"text":"ab","finish_reason":"stop"}]}', DONE)],
    ['JSON inside a JSON string', sse(JSON.stringify(a), JSON.stringify(b), JSON.stringify(stop))],
  ])('may be %s', (_, answer) => {
    expect(said(answer)).toMatchObject({ text: 'ab', thinking: '', end: { finishReason: 'stop' } });
  });
});

describe('the end of an answer', () => {
  it.each([['null'], [''], ['None'], ['undefined'], [false], [0], [{}], ['FINISH_REASON_UNSPECIFIED']])(
    'is no finish reason %j',
    (reason) => {
      const first = chunk({ content: 'a' }, reason);
      expect(said(sse(first, b, stop, DONE)).text).toBe('ab');
      const reader = new TurnReader(options);
      reader.feed(Buffer.from(sse(first)));
      expect(reader.isFinished).toBe(false);
      expect(() => read(sse(first))).toThrow('was cut');
    },
  );

  it('is no reason behind which more comes', () => {
    const early = (content: string) => chunk({ content }, 'stop');
    const reader = new TurnReader(options);
    reader.feed(Buffer.from(sse(early('a'), early('b'))));
    expect(reader.isFinished).toBe(false);
    expect(said(sse(early('a'), early('b'), DONE)).text).toBe('ab');
  });

  it('is [DONE] alone, but of nothing', () => {
    expect(said(sse(a, b, DONE)).end.finishReason).toBe('stop');
    expect(() => read(sse(DONE))).toThrow('was cut');
    expect(() => read(sse(a, b))).toThrow('was cut');
    expect(() => read('')).toThrow('was cut');
    expect(() => read('<html>busy</html>')).toThrow('was cut');
  });

  it.each([
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['eos_token', 'stop'],
  ])('%s is read as %s', (given, read) => {
    expect(said(sse(a, chunk({}, given))).end.finishReason).toBe(read);
  });

  it.each(['error', 'abort', 'network_error', 'insufficient_system_resource', 'MALFORMED_FUNCTION_CALL'])(
    '%s says that the answer is none',
    (reason) => expect(() => read(sse(a, chunk({}, reason), DONE))).toThrow(`broke off: ${reason}`),
  );
});

describe('an error in a stream of status 200', () => {
  const words = 'maximum context length is 4096 tokens';
  it.each<[string, string]>([
    ['an object', sse(JSON.stringify({ error: { message: words } }))],
    ['a string', sse(JSON.stringify({ error: words }))],
    ['a list', sse(JSON.stringify({ error: [{ message: words }] }))],
    ['a list of errors', sse(JSON.stringify({ errors: [{ detail: words }] }))],
    ['an object that says it is one', sse(JSON.stringify({ object: 'error', message: words, code: 400 }))],
    ['a type', sse(JSON.stringify({ type: 'error', error: { type: 'x', message: words } }))],
    ['a message', sse(JSON.stringify({ message: words }))],
    ['a detail', sse(JSON.stringify({ detail: words }))],
    [
      "a validator's list",
      sse(JSON.stringify({ detail: [{ loc: ['body', 'messages'], msg: words, type: 'x' }] })),
    ],
    ['problem JSON', sse(JSON.stringify({ type: 'about:blank', title: 'No', status: 400, detail: words }))],
    [
      'JSON inside a string',
      sse(JSON.stringify({ error: { message: JSON.stringify({ error: { message: words } }) } })),
    ],
    [
      'a base response',
      sse(JSON.stringify({ choices: null, base_resp: { status_code: 1004, status_msg: words } })),
    ],
    ['a named event', `event: error\ndata: ${JSON.stringify({ message: words })}\n\n`],
    ['a named event of plain text', `event: error\ndata: ${JSON.stringify(words)}\n\n`],
    [
      'an error in a choice',
      sse(JSON.stringify({ choices: [{ index: 0, error: { message: words }, delta: {} }] })),
    ],
    ['an error beside no choices', sse(JSON.stringify({ choices: [], error: { message: words } }))],
    ['no stream', JSON.stringify({ error: { message: words } })],
    ['no stream, in a list', JSON.stringify([{ error: { code: 400, message: words } }])],
    ['no stream, in lines', JSON.stringify({ object: 'error', message: words }, null, 2)],
  ])('may be %s', (_, answer) => {
    for (const size of [1, Infinity]) {
      const failure = failureOf(() => read(answer, size));
      expect(failure.kind).toBe('too_long');
      expect(failure.message).toContain(words);
    }
  });

  it('may come in its midst, also without the form of a stream', () => {
    for (const error of [
      sse(`{"error":"${words}"}`),
      `{"error":"${words}"}\n\n`,
      `event: error\ndata: ${words}\n\n`,
    ])
      expect(failureOf(() => read(sse(a) + error)).kind).toBe('too_long');
  });

  it.each([
    [{ error: { message: 'no', code: 400 } }, 'refused'],
    [{ error: { message: 'no', type: 'invalid_request_error' } }, 'refused'],
    [{ object: 'error', message: 'no', code: 422 }, 'refused'],
    [{ error: { message: 'later', code: '429' } }, 'transient'],
    [{ error: { message: 'busy' } }, 'transient'],
    [{ error: { code: 502 } }, 'transient'],
    [{ error: true }, 'transient'],
  ])('%j is %s', (body, kind) => {
    expect(failureOf(() => read(sse(JSON.stringify(body), DONE))).kind).toBe(kind);
  });

  it.each([[null], [''], [false], [{}]])('is none where it is %j', (error) => {
    const piece = (content: string) =>
      JSON.stringify({ ...(JSON.parse(chunk({ content })) as object), error });
    expect(said(sse(piece('a'), piece('b'), stop)).text).toBe('ab');
  });

  const failureOf = (run: () => unknown): ModelFailure => {
    try {
      run();
    } catch (error) {
      if (error instanceof ModelFailure) return error;
      throw error;
    }
    throw new Error('no failure');
  };
});

describe('thinking inside the text', () => {
  const text = (content: string, more: object = {}) => said(sse(chunk({ content }), stop, DONE), more);

  it.each([
    ['<think>hm</think>\n\nyes', 'hm', 'yes'],
    ['\n<think>\nhm\n</think>\n\nyes', 'hm', 'yes'],
    ['<THINK>hm</THINK>yes', 'hm', 'yes'],
    ['<thinking>hm</thinking> yes', 'hm', 'yes'],
    ['<thought>hm</thought>yes', 'hm', 'yes'],
    ['<reasoning>hm</reasoning>yes', 'hm', 'yes'],
    ['<seed:think>hm</seed:think>yes', 'hm', 'yes'],
    ['[THINK]hm[/THINK]yes', 'hm', 'yes'],
    ['◁think▷hm◁/think▷yes', 'hm', 'yes'],
    ['<|START_THINKING|>hm<|END_THINKING|>yes', 'hm', 'yes'],
    ['<think>\n\n</think>\n\nyes', '', 'yes'],
    ['<think>one</think>\n<think>two</think>\nyes', 'onetwo', 'yes'],
    ['<think>a <b> < c </thin</think>yes', 'a <b> < c </thin', 'yes'],
    ['<think>hm</think>\n\nuse <think> and </think>\n', 'hm', 'use <think> and </think>\n'],
    ['hm, and so\n</think>\n\nyes', 'hm, and so\n', 'yes'],
    ['hm.</think>\n\nyes', 'hm.', 'yes'],
  ])('%j is told apart', (content, thinking, answer) => {
    expect(text(content)).toMatchObject({ text: answer, thinking });
    const each = Array.from(content).map((char) => chunk({ content: char }));
    expect(said(sse(...each, stop))).toMatchObject({ text: answer, thinking });
  });

  it.each([
    'so <think>it</think> is said',
    'Write `</think>` behind it.',
    'a < b and b > c',
    '<thin',
    '<thanks>',
    '  \n',
    '<p>hi</p>',
  ])('%j is text', (content) => {
    expect(text(content)).toMatchObject({ text: content, thinking: '' });
    const each = Array.from(content).map((char) => chunk({ content: char }));
    expect(said(sse(...each, stop))).toMatchObject({ text: content, thinking: '' });
  });

  it('is thinking, too, where the answer is cut inside it', () => {
    expect(said(sse(chunk({ content: '<think>hm, so' }), chunk({}, 'length')))).toMatchObject({
      text: '',
      thinking: 'hm, so',
      end: { finishReason: 'length' },
    });
  });

  it('is remembered where it begins in the prompt', () => {
    expect(text('hm.</think>\n\nyes').beginsInside).toBe(true);
    const inside = { beginsInside: true };
    expect(text('hm.</think>\n\nyes', inside)).toMatchObject({
      thinking: 'hm.',
      text: 'yes',
      beginsInside: true,
    });
    expect(text('<think>hm.</think>\n\nyes', inside)).toMatchObject({ thinking: 'hm.', text: 'yes' });
    expect(text('yes', inside)).toMatchObject({ text: 'yes', beginsInside: false });
  });
});

describe('the arguments of a call', () => {
  const piece = (args: unknown, more: object = {}) =>
    chunk({ tool_calls: [{ index: 0, ...more, function: { arguments: args } }] });
  const first = { id: 'c', type: 'function' };
  const named = (args: unknown) =>
    chunk({ tool_calls: [{ index: 0, ...first, function: { name: 'f', arguments: args } }] });
  const argumentsOf = (...pieces: string[]) => {
    const { toolCalls } = said(sse(...pieces, chunk({}, 'tool_calls'))).end;
    expect(toolCalls.length).toBe(1);
    return toolCalls[0]!.arguments;
  };
  const meant = '{"t":"x {}"}';

  it.each<[string, string[]]>([
    ['in pieces', [named(''), piece('{"t":'), piece('"x {}"}')]],
    ['behind {}', [named('{}'), piece('{"t":'), piece('"x {}"}')]],
    ['before {}', [named(meant), piece('{}')]],
    ['behind null', [named('null'), piece(meant)]],
    ['behind ""', [named('""'), piece(meant)]],
    ['each with what came before', [named(''), piece('{"t'), piece('{"t":"x'), piece(meant), piece(meant)]],
    ['twice', [named(meant), piece(meant)]],
    ['each piece twice', [named('{"t":'), piece('{"t":'), piece('"x {}"}'), piece('"x {}"}')]],
    ['once more with the name', [named(meant), named(meant)]],
    ['with the name in each piece', [named('{}'), named('{"t":'), named('"x {}"}')]],
    ['as JSON in JSON', [named(JSON.stringify(meant))]],
    ['as JSON in JSON in JSON', [named(JSON.stringify(JSON.stringify(meant)))]],
    ['as an object', [named({ t: 'x {}' })]],
    ['in a fence', [named(`\`\`\`json\n${meant}\n\`\`\``)]],
    ['before a mark', [named(`${meant}<|call|>`)]],
  ])('are read %s', (_, pieces) => expect(argumentsOf(...pieces)).toBe(meant));

  it.each([['{"a":1}{"b":2}'], ['{"a":'], ['hello'], ['[1]']])('stay %s', (args) =>
    expect(argumentsOf(named(args))).toBe(args),
  );

  it('may stand beside the name, or be none', () => {
    expect(argumentsOf(chunk({ tool_calls: [{ id: 'c', name: 'f', arguments: meant }] }))).toBe(meant);
    expect(argumentsOf(chunk({ tool_calls: { id: 'c', function: { name: 'f' } } }))).toBe('{}');
  });

  it('are told to be cut where the answer ends inside them', () => {
    const cut = (...pieces: string[]) => said(sse(...pieces, chunk({}, 'length'))).end.toolCalls;
    expect(cut(named('{"t":'))).toEqual([{ id: 'c', name: 'f', arguments: '{"t":', isCut: true }]);
    expect(cut(named(''))).toEqual([{ id: 'c', name: 'f', arguments: '', isCut: true }]);
    expect(cut(named(meant))).toEqual([{ id: 'c', name: 'f', arguments: meant }]);
  });

  it('of calls that are the same in one message are of several calls', () => {
    const f = { function: { name: 'f', arguments: '{"n":1}' } };
    const { end } = said(JSON.stringify(whole({ content: null, tool_calls: [f, f] }, 'tool_calls')));
    expect(end.toolCalls.map(({ id }) => id)).toEqual(['call_0', 'call_1']);
  });
});

describe('what a provider sends besides', () => {
  const providerOf = (answer: string) => JSON.parse(said(answer).end.provider ?? 'null') as unknown;
  const call = (more: object) => ({ index: 0, id: 'c', function: { name: 'f', arguments: '{}' }, ...more });

  it('is kept with its call and with its message', () => {
    const signature = { extra_content: { google: { thought_signature: 'c2ln' } } };
    const answer = sse(
      chunk({ content: '', reasoning_content: 'hm', foo: { bar: [1, null] } }),
      chunk({ reasoning_content: ', so' }),
      chunk({ tool_calls: [call(signature)] }),
      chunk({ tool_calls: [{ ...call({}), index: 1, id: 'd' }] }, 'tool_calls'),
    );
    expect(providerOf(answer)).toEqual({
      server: 's',
      model: 'm',
      message: { reasoning_content: 'hm, so', foo: { bar: [1, null] } },
      calls: [signature, null],
    });
  });

  it('is put together from its pieces', () => {
    const details = (detail: object) => chunk({ reasoning_details: [detail] });
    const text = (more: object) => ({ type: 'reasoning.text', index: 0, format: 'x', ...more });
    const blocks = (block: object) => chunk({ thinking_blocks: [{ type: 'thinking', ...block }] });
    const answer = sse(
      details(text({ text: 'a' })),
      details(text({ text: 'b' })),
      details(text({ signature: 'sig', text: '' })),
      details({ type: 'reasoning.encrypted', data: 'zz', index: 1 }),
      blocks({ thinking: 'a', signature: '' }),
      blocks({ thinking: 'b', signature: '' }),
      blocks({ thinking: '', signature: 'sig' }),
      chunk({ tool_calls: [call({})] }, 'tool_calls'),
    );
    expect(providerOf(answer)).toMatchObject({
      message: {
        reasoning_details: [
          { type: 'reasoning.text', index: 0, format: 'x', text: 'ab', signature: 'sig' },
          { type: 'reasoning.encrypted', data: 'zz', index: 1 },
        ],
        thinking_blocks: [{ type: 'thinking', thinking: 'ab', signature: 'sig' }],
      },
    });
  });

  it('is nothing where there is only thinking and no call', () => {
    expect(providerOf(sse(chunk({ reasoning_content: 'hm' }), a, stop))).toBeNull();
    expect(
      providerOf(sse(chunk({ role: 'assistant', content: 'x', refusal: null, audio: null }), stop)),
    ).toBeNull();
  });
});

describe('the inputs of strangers', () => {
  it.each([
    ['01-finish-reason-null.txt', { text: 'First half, second half.' }],
    ['02-one-json-object.json', { text: 'Whole.', end: { usage: { inputTokens: 5, outputTokens: 2 } } }],
    [
      '04-arguments-after-empty-object.txt',
      { end: { toolCalls: [{ name: 'echo', arguments: '{"text":"prefixed"}' }] } },
    ],
    ['05-think-tags.txt', { thinking: 'The user wants a number.', text: 'It is 42.' }],
    ['08-empty-tool-name.txt', { end: { toolCalls: [{ id: 'call_58de', name: '', arguments: '{}' }] } }],
  ])('%s is read', (name, expected) => expect(said(fixture(name))).toMatchObject(expected));

  it('03-error-without-error-key.txt is a context that is too long, in the words of the server', () => {
    expect(() => read(fixture('03-error-without-error-key.txt'))).toThrow(/but 9000 were given/);
  });
});
