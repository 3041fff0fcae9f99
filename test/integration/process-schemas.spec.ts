import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#platform';
import { memoryOf } from '../support/service-process.js';
import type { Validation } from '../../libs/json-schema/src/validation.js';
import { ProcessSchemas } from '../../libs/json-schema/src/process/process-schemas.js';

const PATH = 'final_output.schema';
const schemas = new ProcessSchemas(new SystemClock());
const opened = [schemas];
afterAll(() => Promise.all(opened.map((each) => each.close())));

/** What this process grows by is what others would suffer. */
const before = memoryOf(process.pid);
afterEach(() => expect(memoryOf(process.pid) - before).toBeLessThan(150 * 1024 * 1024));

const names = Array.from({ length: 9_000 }, (_, i) => i.toString(36));
const many = { type: 'object', required: names };
const some = { type: 'object', required: names.slice(0, 3_000) };
const full = Object.fromEntries(names.map((name) => [name, 0]));

/** Definitions that refer to each other, twelve times each. */
function doubling(levels: number, last: object): object {
  const $defs: Record<string, object> = { [`d${levels}`]: last };
  for (let i = 0; i < levels; i++)
    $defs[`d${i}`] = { allOf: Array.from({ length: 12 }, () => ({ $ref: `#/$defs/d${i + 1}` })) };
  return { $ref: '#/$defs/d0', $defs };
}

const verdict = async (schema: object, project = 'p') => {
  const found = await schemas.check(schema, PATH, project);
  return found.kind === 'refused' ? `${found.error.path}: ${found.error.message}` : 'accepted';
};
const errorsOf = (found: Validation): readonly string[] => (found.ok ? [] : found.errors);
const isAnswering = async () => (await schemas.validateText({ type: 'object' }, '{"a":1}', 'other')).ok;

describe('schemas in a process that may die', () => {
  it('are checked there, and hold values', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    expect(await schemas.check(schema, PATH, 'p')).toEqual({ kind: 'accepted', subschemas: 2 });
    expect(await schemas.validateText(schema, '```json\n{"n":1}\n```', 'p')).toEqual({
      ok: true,
      value: { n: 1 },
    });
    expect(errorsOf(await schemas.validate(schema, { n: 'x' }, 'p'))).toEqual(['/n must be number']);
    expect(await verdict({ properties: { a: { type: 'strin' } } })).toBe(
      `${PATH}.properties.a.type: must be equal to one of the allowed values`,
    );
  });

  it('that multiply 9,000 errors are accepted or refused, and others are answered', async () => {
    expect(await verdict(doubling(4, many))).toMatch(/^accepted$|: (takes too|refers to itself)/);
    expect(await isAnswering()).toBe(true);
  });

  it.each([
    ['a list of what misses 9,000 names', { type: 'array', items: many }, '{}'],
    ['the same by reference', { type: 'array', items: { $ref: '#/$defs/m' }, $defs: { m: many } }, '{}'],
    ['the same among alternatives', { type: 'array', items: { anyOf: [some, some, some] } }, '{}'],
    ['alternatives of lists', { anyOf: [{ items: some }, { items: some }], type: 'array' }, '{}'],
    [
      'names that are all wrong',
      { items: { propertyNames: { allOf: [{ maxLength: 0 }, false] } } },
      '{"a":1}',
    ],
    ['what may not be there', { items: { additionalProperties: false } }, '{"a":1,"b":2,"c":3}'],
  ])('find 20 errors and no more: %s', async (_, schema, item) => {
    expect(await verdict(schema)).toBe('accepted');
    const errors = errorsOf(await schemas.validateText(schema, `[${Array(5_000).fill(item).join()}]`, 'p'));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(20);
    expect(errors.join('\n')).not.toMatch(/takes too/);
    expect(await isAnswering()).toBe(true);
  });

  it('that take too long over a value make it wrong, and others are answered', async () => {
    const node = { $ref: '#/$defs/node' };
    const schema = { ...node, $defs: { node: { properties: { next: { allOf: [node, node] } } } } };
    const value = JSON.parse(`${'{"next":'.repeat(50)}1${'}'.repeat(50)}`) as object;
    expect(await verdict(schema)).toBe('accepted');
    expect(errorsOf(await schemas.validate(schema, value, 'p'))).toEqual([
      'it cannot be checked against the schema: checking it takes too long',
    ]);
    const repeated = doubling(5, many);
    expect(errorsOf(await schemas.validate(repeated, full, 'p')).join()).toMatch(/^$|takes too|refused/);
    expect(await isAnswering()).toBe(true);
  });

  it('whose process takes too much memory are refused for that, and others are answered', async () => {
    const fresh = new ProcessSchemas(new SystemClock());
    opened.push(fresh);
    await fresh.check({}, PATH, 'p');
    const memoryMb = memoryOf(fresh.pid!) / 1024 / 1024 + 10;
    const small = new ProcessSchemas(new SystemClock(), { memoryMb });
    opened.push(small);
    const schema = { type: 'array', uniqueItems: true };
    const text = `[${Array.from({ length: 120_000 }, (_, i) => `[${i}]`).join()}]`;
    expect(await small.check(schema, PATH, 'p')).toMatchObject({ kind: 'accepted' });
    expect(errorsOf(await small.validateText(schema, text, 'p'))).toEqual([
      'it cannot be checked against the schema: checking it takes too much memory',
    ]);
    expect(errorsOf(await small.validateText(schema, '[1,1]', 'p'))).toEqual([
      'the value must not have the same item twice',
    ]);
  });

  it('of one project wait for one of another, not for all of its', async () => {
    await isAnswering();
    const order: string[] = [];
    const slow = Array.from({ length: 8 }, (_, i) =>
      schemas
        .check({ title: `slow ${i}`, ...doubling(9, { type: 'string' }) }, PATH, 'slow')
        .then(() => order.push('slow')),
    );
    const quick = schemas.check({ title: 'quick' }, PATH, 'quick').then(() => order.push('quick'));
    await Promise.all([...slow, quick]);
    expect(order.indexOf('quick')).toBeLessThanOrEqual(1);
  });

  it('are not compiled again for who sends the same ones again, nor at the same time', async () => {
    const schema = { title: 'once', properties: Object.fromEntries(names.slice(0, 900).map((n) => [n, {}])) };
    const all = await Promise.all(Array.from({ length: 300 }, () => schemas.check(schema, PATH, 'p')));
    expect(all.every(({ kind }) => kind === 'accepted')).toBe(true);
  });

  it('wait in a queue that has an end', async () => {
    const asked = Array.from({ length: 260 }, (_, i) => schemas.check({ title: `queued ${i}` }, PATH, 'p'));
    const found = await Promise.allSettled(asked);
    const refused = found.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'Problem', code: 'unavailable' });
    expect(await verdict({ title: 'queued 259' })).toBe('accepted');
  });
});
