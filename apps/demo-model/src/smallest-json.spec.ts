import { describe, expect, it } from '@jest/globals';
import { smallestJson } from './smallest-json.js';

describe('the smallest JSON for a schema', () => {
  it.each<[unknown, object | boolean]>([
    ['', { type: 'string' }],
    ['xxx', { type: 'string', minLength: 3 }],
    ['2000-01-01', { type: 'string', format: 'date' }],
    [0, { type: 'number' }],
    [4, { type: 'integer', minimum: 3.5 }],
    [1, { type: 'integer', exclusiveMinimum: 0 }],
    [10, { type: 'number', minimum: 7, multipleOf: 5 }],
    [-2, { type: 'integer', maximum: -2 }],
    [-3, { type: 'integer', exclusiveMaximum: -2 }],
    [false, { type: 'boolean' }],
    [null, { type: 'null' }],
    ['b', { enum: ['b', 'c'] }],
    [7, { const: 7 }],
    ['d', { type: 'string', default: 'd' }],
    ['', { type: ['string', 'null'] }],
    [[], { type: 'array', items: { type: 'string' } }],
    [[0, 1], { type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true }],
    [['', 1], { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2 }],
    [{}, { type: 'object', properties: { a: { type: 'string' } } }],
    [{ a: '' }, { properties: { a: { type: 'string' } }, required: ['a'] }],
    [5, { anyOf: [{ const: 5 }, { type: 'string' }] }],
    [
      { k: 'x', n: 0 },
      {
        required: ['n'],
        properties: { n: { type: 'integer' } },
        oneOf: [{ required: ['k'], properties: { k: { const: 'x' } } }],
      },
    ],
    [
      { a: 1, b: true },
      {
        allOf: [
          { required: ['a'], properties: { a: { const: 1 } } },
          { required: ['b'], properties: { b: { const: true } } },
        ],
      },
    ],
    [{ a: 2 }, { $ref: '#/$defs/x', $defs: { x: { required: ['a'], properties: { a: { const: 2 } } } } }],
    [
      { next: null },
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            required: ['next'],
            properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          },
        },
      },
    ],
  ])('is %j', (value, schema) => {
    expect(smallestJson(schema)).toEqual(value);
  });

  it('may be filled with a text of the caller', () => {
    const schema = {
      properties: { a: { type: 'string' }, b: { type: 'string', maxLength: 2 } },
      required: ['a', 'b'],
    };
    expect(smallestJson(schema, { text: 'demo' })).toEqual({ a: 'demo', b: 'de' });
  });
});
