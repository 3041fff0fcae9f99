import { describe, expect, test } from '@jest/globals';
import { headerValue } from './header-value.js';
import { headersOfArguments, paramHeadersIn } from './param-headers.js';

/** The encoding examples of the specification of 2026-07-28. */
test.each([
  ['us-west1', 'us-west1'],
  ['two words', 'two words'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['', '=?base64??='],
])('%j as a header is %j', (text, value) => {
  expect(headerValue(text)).toBe(value);
});

const declared = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header });
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('headers of parameters', () => {
  const input = schema({
    region: declared('Region'),
    dry: declared('Dry-Run', 'boolean'),
    paging: schema({ limit: declared('Limit', 'integer') }),
    'x-mcp-header': { type: 'string' },
  });

  test('are found at any depth below properties', () => {
    expect(paramHeadersIn(input)).toEqual([
      { header: 'mcp-param-Region', path: ['region'] },
      { header: 'mcp-param-Dry-Run', path: ['dry'] },
      { header: 'mcp-param-Limit', path: ['paging', 'limit'] },
    ]);
  });

  test('have the values of the arguments, where there are any', () => {
    const headers = paramHeadersIn(input) ?? [];
    expect(headersOfArguments(headers, { region: 'süd', dry: false, paging: { limit: 42 } })).toEqual({
      'mcp-param-Region': '=?base64?c8O8ZA==?=',
      'mcp-param-Dry-Run': 'false',
      'mcp-param-Limit': '42',
    });
    expect(headersOfArguments(headers, { region: null, dry: {}, paging: 7 })).toEqual({});
  });

  test.each<[string, unknown]>([
    ['an empty name', schema({ a: declared('') })],
    ['no name', schema({ a: declared(7) })],
    ['a name with a space', schema({ a: declared('a b') })],
    ['a name with a line break', schema({ a: declared('a\r\nb') })],
    ['a name twice', schema({ a: declared('Name'), b: declared('name') })],
    ['a number', schema({ a: declared('A', 'number') })],
    ['an object', schema({ a: declared('A', 'object') })],
    ['the root', { ...declared('A'), properties: {} }],
    ['items', schema({ a: { type: 'array', items: declared('A') } })],
    ['a choice', schema({}, { anyOf: [schema({ a: declared('A') })] })],
    ['a condition', schema({}, { else: schema({ a: declared('A') }) })],
    ['a definition', schema({}, { $defs: { a: declared('A') } })],
    ['other properties', schema({}, { additionalProperties: declared('A') })],
  ])('are not valid at %s', (_, broken) => {
    expect(paramHeadersIn(broken)).toBeNull();
  });

  test.each([undefined, null, true, 'no', [], {}])('are none in %p', (nothing) => {
    expect(paramHeadersIn(nothing)).toEqual([]);
  });
});
