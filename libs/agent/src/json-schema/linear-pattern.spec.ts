import { describe, expect, it } from '@jest/globals';
import { compileSchema } from './compile-schema.js';
import { LinearPattern } from './linear-pattern.js';
import { TooMuchWork, WorkBudget } from './work-budget.js';

const compile = (source: string) => LinearPattern.compile(source, new WorkBudget());
function found(source: string, text: string): boolean {
  const pattern = compile(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern.test(text);
}

describe('a pattern', () => {
  it.each([
    ['^\\d{3}-\\d{4}$', '555-1234', true],
    ['^\\d{3}-\\d{4}$', '555-12345', false],
    ['b', 'abc', true],
    ['^[a-z0-9\\-_]+\\/?$', 'a-b_c/', true],
    ['^\\u0041\\x42$', 'AB', true],
    ['^\\u{1F600}$', '😀', true],
    ['^.$', '😀', true],
    ['^(?<year>\\d{4})$', '2026', true],
    ['^\\p{Lu}\\p{L}+$', 'Émile', true],
    ['^\\p{Script=Greek}+$', 'αβγ', true],
    ['^(?:yes|no)$', 'maybe', false],
    ['^a$', 'a\n', false],
  ])('%s in %j: %s', (source, text, expected) => {
    expect(found(source, text)).toBe(expected);
  });

  it.each([
    ['(', /^is not a regular expression: /],
    ['a{2,1}', /^is not a regular expression: /],
    ['(?=a)b', /^is a pattern that needs more than linear time, or a feature/],
    ['(?<!a)b', /^is a pattern that needs more than linear time, or a feature/],
    ['(a)\\1', /^is a pattern that needs more than linear time, or a feature/],
    ['(?<n>a)\\k<n>', /^is a pattern that needs more than linear time, or a feature/],
    ['((a{1,100}){1,100}){1,100}', /^is a pattern that/],
    ['(?:ab?c?d?){1,900}', /^is a pattern that repeats too much/],
    ['a'.repeat(1001), /^is a pattern of more than 1000 characters/],
  ])('%s is refused', (source, reason) => {
    expect(compile(source)).toEqual(expect.stringMatching(reason));
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*?,){11}P', '(\\w+\\s?)*$'])(
    '%s takes no longer over a hostile text than over any other',
    (source) => {
      const began = performance.now();
      expect(typeof found(source, `${'a'.repeat(50_000)}!`)).toBe('boolean');
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );

  it('is not tried on a text that is too long for it', () => {
    const pattern = compile('^([a-z]{1,100}x){1,9}$');
    if (typeof pattern === 'string') throw new Error(pattern);
    expect(() => pattern.test('a'.repeat(1_000_000))).toThrow(TooMuchWork);
  });
});

describe('a schema with patterns', () => {
  it('matches values and names', () => {
    const made = compileSchema(
      { patternProperties: { '^n_': { type: 'number' } }, properties: { id: { pattern: '^[a-z]+$' } } },
      'schema',
    );
    const check = (value: unknown) => made.kind === 'compiled' && made.schema.validate(value);
    expect(check({ n_1: 1, id: 'abc', other: 'x' })).toMatchObject({ ok: true });
    expect(check({ n_1: 'x', id: 'A' })).toEqual({
      ok: false,
      errors: ['/id must match pattern "^[a-z]+$"', '/n_1 must be number'],
    });
  });

  it.each([
    [{ properties: { a: { pattern: '(?=a)' } } }, 'schema.properties.a.pattern'],
    [{ patternProperties: { '(?=a)': {} } }, 'schema.patternProperties.(?=a)'],
    [
      { anyOf: Array.from({ length: 9 }, (_, i) => ({ pattern: `a{1,${991 + i}}` })) },
      'schema.anyOf[5].pattern',
    ],
  ])('is refused where one of them is, or all together are too much: %j', (schema, path) => {
    expect(compileSchema(schema, 'schema')).toMatchObject({ kind: 'refused', error: { path } });
  });
});
