import { describe, expect, it } from '@jest/globals';
import { compileSchema } from '../../libs/json-schema/src/compile-schema.js';
import type { Validation } from '../../libs/json-schema/src/validation.js';

const validate = (schema: object, value: unknown): Validation => {
  const made = compileSchema(schema, 'schema');
  if (made.kind === 'refused') throw new Error(made.error.message);
  return made.schema.validate(value);
};

// What takes too long is given up after a second and more, which pass.
describe('a schema', () => {
  it('goes without patterns that take too long, and says which', () => {
    const pattern = '^(?!x)(a+)+$';
    const schema = { properties: { s: { pattern, minLength: 3 } } };
    const hostile = `${'a'.repeat(100)}!`;
    expect(validate(schema, { s: hostile })).toMatchObject({ ok: true, unchecked: [pattern] });
    expect(validate(schema, { s: 'xa' })).toMatchObject({ ok: false });
    expect(validate(schema, { s: 'aaa' })).toEqual({ ok: true, value: { s: 'aaa' } });
  });

  it('that would be looked at for hours is wrong', () => {
    const node = { $ref: '#/$defs/node' };
    const schema = { ...node, $defs: { node: { properties: { next: { allOf: [node, node] } } } } };
    const deep = (levels: number): object => (levels === 0 ? {} : { next: deep(levels - 1) });
    expect(validate(schema, deep(5)).ok).toBe(true);
    const refused = (error: string) => ({ ok: false, errors: [error] });
    expect(validate(schema, deep(40))).toMatchObject(
      refused('it cannot be checked against the schema: checking it takes too long'),
    );
    expect(validate({}, deep(70))).toMatchObject(refused('it is nested deeper than 64 levels'));
  });
});
