import { describe, expect, it } from '@jest/globals';
import {
  a,
  chunk,
  DONE,
  fixture,
  read,
  said,
  sse,
  stop,
  whole,
} from '../../../test/support/model-answers.js';

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
