import { describe, expect, it } from '@jest/globals';
import { Problem } from '#domain';
import { givenOf } from '../given-of.js';
import { shownItems } from '../given-view.js';
import { parseChatRequest } from './chat-request.js';
import { parseResponseRequest } from './response-request.js';

const refusalOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return `${error.more.reason} ${error.more.errors?.[0]?.path}`;
    throw error;
  }
  return 'taken';
};
const chat = (more: object) => parseChatRequest({ messages: [{ role: 'user', content: 'x' }], ...more });
const response = (more: object) => parseResponseRequest({ input: 'x', ...more });
const itemsOf = (input: readonly object[]) => parseResponseRequest({ input }).input as never[];
const spoken = (...messages: object[]) => parseChatRequest({ messages }).input;

describe('what OpenAI has and we have not', () => {
  const custom = { type: 'custom', custom: { name: 'x', input: '' } };
  it.each<[object, string]>([
    [{ tools: [custom] }, 'tools[0].type'],
    [{ tool_choice: custom }, 'tool_choice.type'],
    [{ tool_choice: { type: 'allowed_tools', allowed_tools: {} } }, 'tool_choice.type'],
    [{ response_format: { type: 'grammar', grammar: '' } }, 'response_format.type'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', ...custom }] }] },
      'messages[0].tool_calls[0].type',
    ],
  ])('is refused by its type in chat completions: %j', (body, path) => {
    expect(refusalOf(() => chat(body))).toBe(`unsupported_value ${path}`);
  });

  it('is refused by its type in responses', () => {
    const format = { type: 'grammar', grammar: '' };
    expect(refusalOf(() => response({ text: { format } }))).toBe('unsupported_value text.format.type');
    expect(refusalOf(() => response({ tools: [custom] }))).toBe('unsupported_value tools[0].type');
    expect(refusalOf(() => response({ tool_choice: custom }))).toBe('unsupported_value tool_choice.type');
  });
});

describe('the refusal of an assistant', () => {
  it('is what it said, where there is nothing else', () => {
    const part = { kind: 'text', text: 'no', isRefusal: true };
    const refused = [{ kind: 'message', role: 'assistant', parts: [part] }];
    expect(spoken({ role: 'assistant', content: null, refusal: 'no' })).toEqual(refused);
    expect(spoken({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] })).toEqual(refused);
    expect(spoken({ role: 'assistant', content: 'yes', refusal: 'no' })).toMatchObject([
      { parts: [{ text: 'yes' }] },
    ]);
    expect(refusalOf(() => spoken({ role: 'assistant', refusal: null }))).toBe(
      'missing_required_parameter messages[0].content',
    );
  });

  it('is shown as one, and still is one when it is sent back', () => {
    const content = [
      { type: 'refusal', refusal: 'no' },
      { type: 'output_text', text: 'but' },
    ];
    const given = itemsOf([{ role: 'assistant', content }]);
    const [shown] = shownItems(given, 'ses_1', 1);
    expect(shown).toMatchObject({ content: [content[0], { type: 'output_text', text: 'but' }] });
    expect(givenOf(shown!)).toEqual(given[0]);
  });
});

it('a function without parameters is shown without', () => {
  const parameters = { type: 'object', properties: {} };
  const tools = [{ parameters }, { parameters: null }, {}].map((more) => ({
    type: 'function',
    name: 'f',
    ...more,
  }));
  const asked = response({ tools });
  expect(asked.settings.tools?.map((tool) => (tool as { parameters: unknown }).parameters)).toEqual([
    parameters,
    null,
    null,
  ]);
  expect(asked.tools.functions.map((tool) => tool.parameters)).toEqual([parameters, parameters, parameters]);
  const { settings } = chat({ tools: [{ type: 'function', function: { name: 'f' } }] });
  expect(settings.tools).toEqual([
    { type: 'function', name: 'f', description: null, parameters: null, strict: null },
  ]);
});

it('a tool of a server that is not offered cannot be chosen', () => {
  const server = { type: 'mcp', server_label: 's', server_url: 'https://a.example' };
  const chosen = (allowed_tools: unknown) =>
    refusalOf(() =>
      response({
        tools: [{ ...server, allowed_tools }],
        tool_choice: { type: 'mcp', server_label: 's', name: 't' },
      }),
    );
  expect([null, ['t'], { tool_names: ['t'] }, { read_only: true }].map(chosen)).toEqual(
    Array.from({ length: 4 }, () => 'taken'),
  );
  expect(chosen(['u'])).toBe('invalid_value tool_choice.name');
  expect(chosen({ tool_names: ['u'] })).toBe('invalid_value tool_choice.name');
});

it('a file whose data are no base64 is refused', () => {
  const file = (base64: string) =>
    refusalOf(() =>
      itemsOf([
        {
          role: 'user',
          content: [{ type: 'input_file', file_data: `data:text/plain;base64,${base64}` }],
        },
      ]),
    );
  expect(['aGk=', 'aGk', ''].map(file)).toEqual(['taken', 'taken', 'taken']);
  for (const wrong of ['a!Gk=', 'aG k=', 'aGk===', '=aGk'])
    expect(file(wrong)).toBe('invalid_value input[0].content[0].file_data');
});

describe('what clients send back as they got it', () => {
  const user = { role: 'user', content: 'again' };

  it('is taken where a part of a chat message repeats what its message says', () => {
    const text = { type: 'text', text: 'Hello.' };
    const asSent = { ...text, role: 'assistant', refusal: null, annotations: [] };
    const plain = spoken({ role: 'assistant', content: [text] }, user);
    expect(spoken({ role: 'assistant', content: [asSent] }, user)).toEqual(plain);
    expect(spoken({ role: 'assistant', content: [{ ...text, annotations: [] }] }, user)).toEqual(plain);
  });

  it('is no message where an answer had no text', () => {
    const empty = { role: 'assistant', content: null, refusal: null, annotations: [] };
    expect(spoken(empty, user)).toEqual(spoken(user));
    expect(refusalOf(() => spoken(empty))).toBe('invalid_value messages');
    expect(refusalOf(() => spoken({ role: 'assistant' }))).toBe(
      'missing_required_parameter messages[0].content',
    );
  });

  it('may have fields by the names that Python has for them', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const back = { ...call, async_: null, created_by: null, namespace: null };
    expect(itemsOf([back])).toEqual(itemsOf([call]));
    expect(refusalOf(() => itemsOf([{ ...call, async_: true }]))).toBe(
      'unsupported_parameter input[0].async_',
    );
  });

  it.each([{ type: 'item_reference' }, { type: null }, {}])(
    'an item with an id alone is a reference: %j',
    (more) => {
      expect(itemsOf([{ id: 'msg_1', ...more }])).toEqual([
        { kind: 'reference', id: 'msg_1', path: 'input[0].id' },
      ]);
    },
  );
});

it.each(['input_text', 'input_image', 'input_file'])(
  'a point of %s where a cache begins is refused by name',
  (type) => {
    const said = {
      type,
      text: 'x',
      image_url: 'data:image/png;base64,aGk=',
      file_data: 'data:text/plain;base64,aGk=',
    };
    const [field] = { input_text: ['text'], input_image: ['image_url'], input_file: ['file_data'] }[type]!;
    const part = { type, [field!]: said[field as 'text'] };
    const asked = (prompt_cache_breakpoint: unknown) =>
      refusalOf(() => itemsOf([{ role: 'user', content: [{ ...part, prompt_cache_breakpoint }] }]));
    expect(asked(null)).toBe('taken');
    expect(asked({ mode: 'explicit' })).toBe(
      'unsupported_parameter input[0].content[0].prompt_cache_breakpoint',
    );
  },
);

it('options of the background are refused by name', () => {
  expect(refusalOf(() => response({ background_options: null }))).toBe('taken');
  expect(refusalOf(() => response({ background_options: {} }))).toBe(
    'unsupported_parameter background_options',
  );
});

it('a type that is missing is said to be missing', () => {
  expect(refusalOf(() => response({ tool_choice: { name: 'f' } }))).toBe(
    'missing_required_parameter tool_choice.type',
  );
  expect(refusalOf(() => response({ text: { format: { name: 'f', schema: {} } } }))).toBe(
    'missing_required_parameter text.format.type',
  );
});
