import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlockCounter } from '../../../test/support/block-counter.js';
import { compileSchema } from './compile-schema.js';
import { LinearPattern } from './linear-pattern.js';
import { Patterns } from './patterns.js';

const found = (source: string, text: string): boolean => new Patterns().get(source).test(text);
const isLinear = (source: string): boolean => LinearPattern.compile(source) !== null;

// The first: what was called before a counter is opened is not counted.
describe('a pattern that backtracking takes long for', () => {
  let counter: BlockCounter;
  beforeAll(async () => {
    counter = await BlockCounter.open('/re2js/');
  });
  afterAll(() => counter.close());

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*?,){11}P', '(\\w+\\s?)*$'])(
    '%s takes no more than its share of the work over a hostile text',
    async (source) => {
      const costOf = (length: number) => counter.count(() => void found(source, `${'a'.repeat(length)}!`));
      const few = await costOf(1_000);
      expect(few).toBeGreaterThan(1_000);
      expect(await costOf(8_000)).toBeLessThan(few * 12);
    },
  );
});

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

  it.each(['(', 'a{2,1}', '[z-a]', '(?<a>b'])('%s is refused', (source) => {
    expect(new Patterns().add(source)).toMatch(/^is not a regular expression: /);
  });

  it.each([
    ['^(?!.*\\.\\.)[a-z.]+$', 'a.b', 'a..b'],
    ['(?<!a)b$', 'cb', 'ab'],
    ['^(a|b)\\1$', 'aa', 'ab'],
    ['^(?<q>["\'])x\\k<q>$', '"x"', '"x\''],
    ['^(?:ab?c?d?){1,900}$', 'abcd', 'x'],
    [`^${'a?'.repeat(600)}$`, 'aaa', 'b'],
  ])('%s takes more than linear time, or much memory, and is found all the same', (source, good, bad) => {
    expect(isLinear(source)).toBe(false);
    expect([found(source, good), found(source, bad)]).toEqual([true, false]);
  });

  it.each([
    ['(?i)^yes$', 'YES', 'no'],
    ['^(?P<year>\\d{4})\\Z', '2026', '2026x'],
  ])('%s is written as Python does, and meant so', (source, good, bad) => {
    expect([found(source, good), found(source, bad)]).toEqual([true, false]);
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
    [{ properties: { a: { pattern: '(a' } } }, 'schema.properties.a.pattern'],
    [{ patternProperties: { '(a': {} } }, 'schema.patternProperties.(a'],
  ])('is refused where one of them is none: %j', (schema, path) => {
    expect(compileSchema(schema, 'schema')).toMatchObject({ kind: 'refused', error: { path } });
  });

  it('is taken however much memory they would need in linear time', () => {
    const many = { anyOf: Array.from({ length: 30 }, (_, i) => ({ pattern: `^a{1,${961 + i}}$` })) };
    const made = compileSchema(many, 'schema');
    expect(made.kind === 'compiled' && made.schema.validate('a'.repeat(990)).ok).toBe(true);
    expect(made.kind === 'compiled' && made.schema.validate('a'.repeat(991)).ok).toBe(false);
  });
});
