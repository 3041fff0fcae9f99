import { describe, expect, it } from '@jest/globals';
import { compileSchema } from './compile-schema.js';

const said = (schema: object, value: unknown): boolean | string => {
  const made = compileSchema(schema, 'schema');
  return made.kind === 'refused'
    ? `${made.error.path}: ${made.error.message}`
    : made.schema.validate(value).ok;
};
const MAIL =
  "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";

describe('schemas as tools write them', () => {
  it.each<[string, object, unknown, unknown]>([
    [
      'an e-mail of zod',
      { type: 'string', format: 'email', pattern: MAIL },
      'ada@example.org',
      'a..b@example.org',
    ],
    [
      'a name of zod',
      { id: 'User', type: 'object', properties: { id: { type: 'number' } } },
      { id: 1 },
      { id: 'a' },
    ],
    ['a loop of zod', { type: 'object', properties: { next: { $ref: '#' } } }, { next: {} }, { next: 1 }],
    [
      'a decimal of pydantic',
      { anyOf: [{ type: 'number' }, { type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' }] },
      '1.5',
      '-.',
    ],
    [
      'alternatives of pydantic',
      {
        $defs: { A: { type: 'object', properties: { k: { const: 'a', title: 'K' } }, required: ['k'] } },
        discriminator: { mapping: { a: '#/$defs/A' }, propertyName: 'k' },
        oneOf: [{ $ref: '#/$defs/A' }],
      },
      { k: 'a' },
      { k: 'b' },
    ],
    ['a tuple of TypeBox', { items: [{ type: 'number' }], additionalItems: false, minItems: 1 }, [1], [1, 2]],
    [
      'a loop of TypeBox',
      { $id: 'T0', type: 'object', properties: { n: { $ref: 'T0' } } },
      { n: {} },
      { n: 1 },
    ],
    ['null in OpenAPI 3.0', { type: 'string', nullable: true }, null, 1],
    ['null among values of it', { type: 'string', enum: ['a'], nullable: true }, null, 'b'],
    [
      'null beside a reference of it',
      { nullable: true, allOf: [{ $ref: '#/definitions/A' }], definitions: { A: { type: 'number' } } },
      null,
      'a',
    ],
    ['a bound of it', { type: 'number', minimum: 1, exclusiveMinimum: true }, 2, 1],
    ['an example of it', { type: 'object', example: { $id: 'x', $ref: '#/nowhere' } }, {}, 1],
    ['a multiple of a fraction', { multipleOf: 0.01 }, 0.29, 0.295],
    ['a format that is a name of JavaScript', { format: 'constructor', type: 'string' }, 'a', 1],
  ])('%s', (_, schema, good, bad) => {
    expect([said(schema, good), said(schema, bad)]).toEqual([true, false]);
  });

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft/2020-12/schema#',
    'http://json-schema.org/draft/2020-12/schema',
    'https://spec.openapis.org/oas/3.1/dialect/base',
  ])('of %s', ($schema) => {
    expect([said({ $schema, type: 'string' }, 'a'), said({ $schema, type: 'string' }, 1)]).toEqual([
      true,
      false,
    ]);
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://a.example/mine', '', 'constructor', 7, null])(
    'of %j are refused by name',
    ($schema) => {
      expect(said({ $schema }, 1)).toBe('schema.$schema: must be draft 2020-12 or draft-07');
    },
  );
});
