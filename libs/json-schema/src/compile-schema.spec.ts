import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlockCounter } from '../../../test/support/block-counter.js';
import { compileSchema } from './compile-schema.js';
import type { CompiledSchema } from './compiled-schema.js';

const PATH = 'final_output.schema';

function compiled(schema: object): CompiledSchema {
  const made = compileSchema(schema, PATH);
  if (made.kind === 'refused') throw new Error(`${made.error.path}: ${made.error.message}`);
  return made.schema;
}

function refusal(schema: object): string {
  const made = compileSchema(schema, PATH);
  return made.kind === 'refused' ? `${made.error.path}: ${made.error.message}` : 'not refused';
}

const accepts = (schema: object, value: unknown): boolean => compiled(schema).validate(value).ok;
const errorsOf = (schema: object, value: unknown): readonly string[] => {
  const found = compiled(schema).validate(value);
  return found.ok ? [] : found.errors;
};
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };

// The first: what was called before a counter is opened is not counted.
describe('compiling a schema', () => {
  /** Ten times what it takes. */
  const MAX_BLOCKS = 4_000_000;
  let counter: BlockCounter;
  beforeAll(async () => {
    counter = await BlockCounter.open('/node_modules/');
  });
  afterAll(() => counter.close());

  it('does not block for long, whatever it is given', async () => {
    const names = Array.from({ length: 330 }, (_, i) => `p${i}`);
    const wide = (title: string) => ({
      title,
      properties: Object.fromEntries(
        names.map((name) => [name, { anyOf: [{ type: 'string', format: 'email' }, { minimum: 1 }] }]),
      ),
      unevaluatedProperties: false,
    });
    const repeats = (title: string) => ({
      title,
      anyOf: Array.from({ length: 5 }, (_, i) => ({ pattern: `(\\p{L}{1,100}){1,9}${i}` })),
    });
    for (const make of [wide, repeats]) {
      const blocks = await counter.count(() => void compiled(make('wide')));
      expect(blocks).toBeGreaterThan(1_000);
      expect(blocks).toBeLessThan(MAX_BLOCKS);
    }
  });
});

describe('a schema', () => {
  it('is of draft 2020-12 where it does not say otherwise', () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    expect(accepts(pair, ['a', 1])).toBe(true);
    expect(accepts(pair, ['a', 1, 2])).toBe(false);
    expect(accepts({ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 })).toBe(false);
    expect(accepts({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { b: 1 })).toBe(
      false,
    );
  });

  it.each(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema'])(
    'is of draft-07 where it says %s',
    ($schema) => {
      const pair = { $schema, items: [{ type: 'string' }], additionalItems: false };
      expect(accepts(pair, ['a'])).toBe(true);
      expect(accepts(pair, ['a', 1])).toBe(false);
      const refers = { $schema, $ref: '#/definitions/n', definitions: { n: { type: 'number' } } };
      expect(accepts(refers, 1)).toBe(true);
      expect(accepts(refers, 'a')).toBe(false);
    },
  );

  it.each([
    [{ $anchor: 't', type: ['array', 'null'], items: { $ref: '#t' } }, [[null]], [1]],
    [
      { constructor: 1, items: { $dynamicRef: '#s', $defs: { s: { $dynamicAnchor: 's', type: 'null' } } } },
      [null],
      [1],
    ],
    [{ $dynamicRef: '#s', $defs: { n: { $dynamicAnchor: 's', type: 'string' } } }, 'a', 1],
    [
      { properties: { x: { $dynamicRef: '#s' } }, $defs: { n: { $dynamicAnchor: 's', type: 'string' } } },
      { x: 'a' },
      { x: {} },
    ],
    [
      {
        $id: 'https://a.example/x',
        $dynamicAnchor: 't',
        type: ['array', 'null'],
        items: { $dynamicRef: '#t' },
      },
      [[null], null],
      [[1]],
    ],
    [{ properties: { $dynamicRef: { type: 'string' } } }, { $dynamicRef: 'a' }, { $dynamicRef: 1 }],
  ])('may refer to itself by anchors and dynamically: %j', (schema, good, bad) => {
    expect([accepts(schema, good), accepts(schema, bad)]).toEqual([true, false]);
  });

  it('may refer to itself, within itself', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            value: { type: 'number' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['value'],
          additionalProperties: false,
        },
      },
    };
    expect(accepts(tree, { value: 1, children: [{ value: 2 }, { value: 3, children: [] }] })).toBe(true);
    expect(errorsOf(tree, { value: 1, children: [{ value: 2 }, { valeu: 3 }] })).toEqual([
      "/children/1 must have required property 'value'",
      '/children/1 must NOT have additional properties ("valeu")',
    ]);
    expect(
      accepts({ $id: 'https://a.example/x', $ref: '#n', $defs: { n: { $anchor: 'n', type: 'null' } } }, null),
    ).toBe(true);
    expect(accepts({ $ref: '#/components/n', components: { n: { type: 'null' } } }, 1)).toBe(false);
  });

  it('is nothing to another one of the same name', () => {
    const $id = 'https://a.example/same';
    expect(accepts({ $id, type: 'string' }, 'a')).toBe(true);
    expect(accepts({ $id, type: 'number' }, 'a')).toBe(false);
  });

  it.each([
    ['email', 'a@b.example', 'a.b'],
    ['date', '2026-02-28', '2026-02-30'],
    ['date-time', '2026-02-28T10:00:00Z', 'yesterday'],
    ['uri', 'https://a.example/x', 'no uri'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123'],
    ['ipv4', '10.0.0.1', '10.0.0.256'],
  ])('checks the format %s', (format, good, bad) => {
    expect(accepts({ type: 'string', format }, good)).toBe(true);
    expect(errorsOf({ type: 'string', format }, bad)).toEqual([`the value must match format "${format}"`]);
    expect(accepts({ type: 'string', format }, 'a'.repeat(5000))).toBe(false);
  });

  it('may use keywords and formats that nobody knows', () => {
    expect(accepts({ type: 'string', format: 'postcode', 'x-order': 1, widget: { rows: 3 } }, 'x')).toBe(
      true,
    );
  });

  it('compares the items of a large array in no time', () => {
    const schema = { type: 'array', uniqueItems: true };
    const items = Array.from({ length: 20_000 }, (_, a) => ({ a, b: 1 }));
    expect(accepts(schema, items)).toBe(true);
    expect(errorsOf(schema, [...items, { b: 1, a: 0 }])).toEqual([
      'the value must not have the same item twice',
    ]);
    expect(accepts({ uniqueItems: false }, [1, 1])).toBe(true);
  });
});

describe('a schema is refused', () => {
  it.each([
    [{ type: 'strin' }, '.type: must be equal to one of the allowed values'],
    [
      { properties: { 'a/b': { items: { minLength: -1 } } } },
      '.properties.a/b.items.minLength: must be >= 0',
    ],
    [{ anyOf: [{}, { required: 'a' }] }, '.anyOf[1].required: must be array'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '.$schema: must be draft 2020-12 or draft-07'],
    [{ $schema: 7 }, '.$schema: must be draft 2020-12 or draft-07'],
    [{ $ref: '#/$defs/nope' }, ": can't resolve reference #/$defs/nope from id #"],
    [
      { $ref: 'https://a.example/other.json' },
      ": can't resolve reference https://a.example/other.json from id #",
    ],
    [{ properties: { a: { $async: true } } }, '.properties.a.$async: is not supported'],
    [
      { properties: { a: { pattern: '(' } } },
      '.properties.a.pattern: is not a regular expression: /(/: Unterminated group',
    ],
    [
      { $defs: { n: { $anchor: 'a', $dynamicAnchor: 'b' } } },
      '.$defs.n.$dynamicAnchor: is not supported beside $anchor',
    ],
    [{ $ref: '#' }, ': refers to itself without end, or to itself too often'],
    [
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      ': refers to itself without end, or to itself too often',
    ],
  ])('%j', (schema, message) => {
    expect(refusal(schema)).toBe(PATH + message);
  });

  it('where it is nested too deep', () => {
    expect(refusal(nested(15))).toBe('not refused');
    expect(refusal(nested(16))).toMatch(
      /^final_output\.schema(\.properties\.a){16}: is nested deeper than 32/,
    );
    const data = JSON.parse(`{"enum":${'['.repeat(40)}${']'.repeat(40)}}`) as object;
    expect(refusal(data)).toBe(`${PATH}.enum: is nested deeper than 32 levels`);
    let deep: object = {};
    for (let i = 0; i < 100_000; i++) deep = { not: deep };
    expect(refusal(deep)).toMatch(/must not be larger than 65536 bytes, nor deeper/);
  });

  it('where it is too large, or has too many parts', () => {
    expect(refusal({ description: 'x'.repeat(70_000) })).toMatch(/must not be larger than 65536 bytes/);
    const many = (n: number) => ({ anyOf: Array.from({ length: n }, (_, i) => ({ const: i })) });
    expect(refusal(many(999))).toBe('not refused');
    expect(refusal(many(1000))).toBe(`${PATH}.anyOf[999]: is one of more than 1000 subschemas`);
  });

  it('where its references double at each level', () => {
    const $defs: Record<string, object> = { d30: { type: 'string' } };
    for (let i = 0; i < 30; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { allOf: [next, next] };
    }
    expect(refusal({ $ref: '#/$defs/d0', $defs })).toBe(
      `${PATH}: refers to itself without end, or to itself too often`,
    );
  });
});

describe('a value', () => {
  it('is told where it is wrong, at most 20 times', () => {
    const schema = { type: 'object', properties: { n: { enum: ['a', 'b'] }, c: { const: 1 } } };
    expect(errorsOf(schema, { n: 'x', c: 2 })).toEqual([
      '/n must be equal to one of the allowed values: ["a","b"]',
      '/c must be equal to constant: 1',
    ]);
    const errors = errorsOf({ items: { type: 'number' } }, Array(100).fill('x'));
    expect(errors).toHaveLength(20);
    expect(errors[19]).toBe('and more errors');
  });
});

describe('compiling', () => {
  it('is done once for the same schema', () => {
    const schema = { type: 'object', title: 'once' };
    expect(compiled({ ...schema })).toBe(compiled({ ...schema }));
    for (let i = 0; i < 70; i++) compiled({ title: `other ${i}` });
    expect(compiled({ ...schema }).validate({}).ok).toBe(true);
  });
});
