import { describe, expect, it } from '@jest/globals';
import {
  a,
  b,
  chunk,
  DONE,
  options,
  read,
  said,
  sse,
  stop,
  whole,
} from '../../../test/support/model-answers.js';
import { ModelFailure } from '#agent';
import { TurnReader } from './turn-reader.js';

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
    ['model_context_window_exceeded', 'length'],
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
