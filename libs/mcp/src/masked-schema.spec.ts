import { describe, expect, it } from '@jest/globals';
import { schemaWithoutSecrets } from './masked-schema.js';
import { SecretMask } from './secret-mask.js';

const TOKEN = 'sesame-42';
const mask = new SecretMask({
  serverName: 's',
  serverUrl: 'http://127.0.0.1:4480/m',
  auth: { type: 'bearer', token: TOKEN },
});
const without = (schema: object): object => schemaWithoutSecrets(schema, mask);

describe('a schema of a server', () => {
  it('is the very same where it holds no secret', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x', null], default: 'x' } } };
    expect(without(schema)).toBe(schema);
  });

  it('has its texts masked, wherever they stand', () => {
    const text = `use ${TOKEN} at http://127.0.0.1:4480/m`;
    const described = { title: text, description: text, $comment: text, type: 'string' };
    const clean = { title: 'use *** at ***', description: 'use *** at ***', $comment: 'use *** at ***' };
    const cleaned = { ...clean, type: 'string' };
    expect(
      without({
        description: text,
        properties: { a: described, description: described },
        $defs: { b: { items: described, additionalProperties: described } },
        allOf: [{ prefixItems: [described, true] }],
      }),
    ).toEqual({
      description: 'use *** at ***',
      properties: { a: cleaned, description: cleaned },
      $defs: { b: { items: cleaned, additionalProperties: cleaned } },
      allOf: [{ prefixItems: [cleaned, true] }],
    });
  });

  it('does without choices, and their names, that hold one: nobody could choose what is masked', () => {
    expect(
      without({
        properties: {
          a: {
            enum: ['x', `as ${TOKEN}`, 'y'],
            enumNames: ['X', 'Z', `Y of ${TOKEN}`],
            default: `as ${TOKEN}`,
          },
          b: {
            oneOf: [
              { const: 'x', title: 'X' },
              { const: TOKEN, title: 'Z' },
            ],
          },
          c: { items: { anyOf: [{ const: 'x', title: `X of ${TOKEN}` }] }, examples: [[TOKEN], ['x']] },
        },
      }),
    ).toEqual({
      properties: {
        a: { enum: ['x', 'y'], enumNames: ['X', 'Y of ***'] },
        b: { oneOf: [{ const: 'x', title: 'X' }] },
        c: { items: { anyOf: [{ const: 'x', title: 'X of ***' }] }, examples: [['x']] },
      },
    });
  });

  it('is open where nothing else is left of what it allows, or what it says cannot be masked', () => {
    expect(
      without({
        properties: {
          a: { type: 'string', enum: [TOKEN], const: TOKEN, default: TOKEN, pattern: `^${TOKEN}$` },
          b: { $ref: `#/$defs/${TOKEN}`, anyOf: [{ const: TOKEN }] },
          c: { not: { const: TOKEN }, if: { const: TOKEN }, patternProperties: { [TOKEN]: {} } },
          [TOKEN]: {},
        },
        $defs: { [TOKEN]: { type: 'string' } },
        required: ['a', TOKEN],
        [TOKEN]: 1,
      }),
    ).toEqual({ properties: { a: { type: 'string' }, b: {}, c: {} }, $defs: {}, required: ['a'] });
  });

  it('is not taken apart for ever', () => {
    let schema: object = { description: TOKEN };
    for (let n = 0; n < 5_000; n++) schema = { items: schema };
    expect(JSON.stringify(without(schema))).not.toContain(TOKEN);
  });
});
