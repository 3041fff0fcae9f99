import { describe, expect, test } from '@jest/globals';
import { changesOf, fieldsOf, inputOf, sendable } from './input-form.js';

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'number', description: 'in dollars' },
    order: { type: 'string' },
    speed: { enum: ['slow', 'fast'] },
    notify: { type: 'boolean' },
  },
  required: ['amount', 'order'],
};
const input = '{"order":"4711","amount":89.00,"tags":["a"]}';

describe('the form of an input', () => {
  test('has the fields of the schema, with what the call says, and what it says besides', () => {
    expect(
      fieldsOf(input, schema)?.map(({ name, kind, isRequired, value }) => [name, kind, isRequired, value]),
    ).toEqual([
      ['amount', 'number', true, '89.00'],
      ['order', 'text', true, '4711'],
      ['speed', 'choice', false, null],
      ['notify', 'boolean', false, null],
      ['tags', 'json', false, '["a"]'],
    ]);
  });

  test('is made of the call alone where no schema is known, and none where it is no object', () => {
    expect(fieldsOf(input, null)?.map(({ kind }) => kind)).toEqual(['text', 'number', 'json']);
    expect(fieldsOf('[1]', schema)).toBe(null);
    expect(fieldsOf('no json', schema)).toBe(null);
  });

  test('gives back what it was made of, in the order of the schema, and says which field is wrong', () => {
    const fields = fieldsOf(input, schema)!;
    expect(inputOf(fields)).toBe('{"amount":89.00,"order":"4711","tags":["a"]}');
    const wrong = fields.map((field) => (field.name === 'amount' ? { ...field, value: 'many' } : field));
    expect(() => inputOf(wrong)).toThrow('amount: a number is needed');
  });
});

describe('what was changed', () => {
  test('is told by field, and nothing where only white space differs', () => {
    expect(changesOf(input, '{"amount":79.00,"order":"4711","more":1}')).toEqual([
      { name: 'amount', before: '89.00', after: '79.00' },
      { name: 'tags', before: '["a"]', after: null },
      { name: 'more', before: null, after: '1' },
    ]);
    expect(changesOf('{"a": 1}', '{"a":1}')).toEqual([]);
    expect(changesOf('[1]', '[2]')).toEqual([{ name: '', before: '[1]', after: '[2]' }]);
  });

  test('is sent as it is written, also numbers that a browser would round', () => {
    const text = '{"a":12345678901234567890,"b":[1.10,{"c":null}],"d":"x"}';
    const isRaw = 'rawJSON' in JSON;
    expect(JSON.stringify(sendable(text))).toBe(isRaw ? text : JSON.stringify(JSON.parse(text)));
  });
});
