import { describe, expect, it } from '@jest/globals';
import { offerSchema as offer } from './offered-schema.js';
import { SecretMask } from './secret-mask.js';

const mask = new SecretMask({
  serverName: 's',
  serverUrl: 'https://mcp.example/mcp',
  auth: { type: 'bearer', token: 'sesame-42' },
});
const offerSchema = (schema: unknown) => offer(schema, mask);

describe('a schema that the model can be given', () => {
  it('is the very same inside, where nothing is wrong', () => {
    const properties = {
      a: { type: 'array', items: { type: 'string' } },
      b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/x' }] },
    };
    const schema = { type: 'object', properties, required: ['a'], $defs: { x: { type: 'number' } } };
    const { parameters, toServer } = offerSchema(schema);
    expect(parameters).toEqual(schema);
    expect((parameters as typeof schema).properties).toBe(properties);
    expect(toServer({ a: [] })).toEqual({ a: [] });
  });

  it.each([undefined, null, 'x', [], {}, { type: 'object' }, { $schema: 'https://x', $id: 'y' }])(
    'is an object without properties, of %p',
    (schema) => {
      expect(offerSchema(schema).parameters).toEqual({ type: 'object', properties: {} });
    },
  );

  it('leaves out what must not stand at the top, where the properties say enough', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { oneOf: [{ type: 'string' }] } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      if: {},
      else: {},
    };
    expect(offerSchema(schema).parameters).toEqual({ type: 'object', properties: schema.properties });
  });

  it('is wrapped where it is no object, and unwrapped for the server', () => {
    const schema = { oneOf: [{ $ref: '#/$defs/a' }, { type: 'object' }], $defs: { a: { type: 'object' } } };
    const { parameters, toServer } = offerSchema(schema);
    expect(parameters).toEqual({
      type: 'object',
      properties: { input: { oneOf: schema.oneOf } },
      required: ['input'],
      $defs: schema.$defs,
    });
    expect(toServer({ input: { x: 1 } })).toEqual({ x: 1 });
  });

  it('has other names for properties that may not have theirs', () => {
    const long = 'x'.repeat(70);
    const schema = {
      type: 'object',
      properties: { 'a b': {}, a_b: {}, 'ä!': {}, [long]: {} },
      required: ['a b', long],
    };
    const { parameters, toServer } = offerSchema(schema);
    expect(parameters).toEqual({
      type: 'object',
      properties: { a_b_2: {}, a_b: {}, __: {}, ['x'.repeat(60)]: {} },
      required: ['a_b_2', 'x'.repeat(60)],
    });
    expect(toServer({ a_b_2: 1, a_b: 2, __: 3, ['x'.repeat(60)]: 4, other: 5 })).toEqual({
      'a b': 1,
      a_b: 2,
      'ä!': 3,
      [long]: 4,
      other: 5,
    });
  });

  it('has other names for properties whose names hold a secret, and the server gets its own', () => {
    const schema = {
      type: 'object',
      properties: { 'as sesame-42': { description: 'sesame-42' }, plain: {} },
      required: ['as sesame-42'],
    };
    const { parameters, toServer } = offerSchema(schema);
    expect(parameters).toEqual({
      type: 'object',
      properties: { as____: { description: '***' }, plain: {} },
      required: ['as____'],
    });
    expect(toServer({ as____: 1, plain: 2 })).toEqual({ 'as sesame-42': 1, plain: 2 });
  });

  it('is masked where it is wrapped, too', () => {
    expect(offerSchema({ type: 'string', description: 'as sesame-42' }).parameters).toEqual({
      type: 'object',
      properties: { input: { type: 'string', description: 'as ***' } },
      required: ['input'],
    });
  });

  it('has items in every list', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array' },
        b: { type: ['array', 'null'], items: [{ type: 'string' }] },
        c: { type: 'object', properties: { d: { anyOf: [{ type: 'array' }] } } },
      },
    };
    expect(offerSchema(schema).parameters).toEqual({
      type: 'object',
      properties: {
        a: { type: 'array', items: {} },
        b: { type: ['array', 'null'], items: {} },
        c: { type: 'object', properties: { d: { anyOf: [{ type: 'array', items: {} }] } } },
      },
    });
  });

  it('is never too deep to be written', () => {
    let schema: object = { type: 'string' };
    let value: unknown = 1;
    for (let n = 0; n < 50_000; n++) {
      schema = { type: 'object', properties: { a: schema } };
      value = [value];
    }
    const { parameters } = offerSchema({ type: 'object', properties: { a: schema, b: { default: value } } });
    expect(JSON.stringify(parameters).length).toBeLessThan(5_000);
  });
});
