import { describe, expect, it, test } from '@jest/globals';
import { Cursors, creationCursors, isCount } from './cursors.js';

const KEY = { createdAt: 1_763_715_600_000, id: 'run_ses_1_a' };
const CONDITIONS = { project: 'p', status: 'failed', from: undefined };
const runs = creationCursors('runs');
const made = runs.encode(KEY, CONDITIONS);
const REFUSED = { code: 'invalid_request', more: { errors: [{ path: 'cursor' }] } };
const cursorOf = (text: string): string => Buffer.from(text).toString('base64url');
const refusalOf = (decode: () => unknown): unknown => {
  try {
    return { decoded: decode() };
  } catch (error) {
    return error;
  }
};

test('a cursor comes back as it was, whatever the order of the conditions', () => {
  expect(runs.decode(made, CONDITIONS)).toEqual(KEY);
  expect(runs.decode(made, { status: 'failed', project: 'p' })).toEqual(KEY);
});

test('the form is that which clients hold', () => {
  expect(made).toBe(cursorOf('[2,"runs","0de5350e",1763715600000,"run_ses_1_a"]'));
});

test('the first page has no cursor', () => {
  expect(runs.decode(undefined, CONDITIONS)).toBeNull();
});

test.each([
  ['another status', { project: 'p', status: 'completed' }],
  ['no status', { project: 'p' }],
  ['one condition more', { ...CONDITIONS, from: 1 }],
  ['another project', { ...CONDITIONS, project: 'q' }],
])('a cursor is refused with %s than it was made for', (_, conditions) => {
  expect(refusalOf(() => runs.decode(made, conditions))).toMatchObject(REFUSED);
});

test('a cursor of another list is refused', () => {
  expect(refusalOf(() => creationCursors('tasks').decode(made, CONDITIONS))).toMatchObject(REFUSED);
});

describe('a cursor is refused that holds', () => {
  const broken = [
    '',
    'x',
    '{}',
    'null',
    '[]',
    '[1]',
    '["1","a"]',
    '[1.5,"a"]',
    '[-1,"a"]',
    '[1,""]',
    '[1,2]',
  ];
  const dotted = ['1.', '.a', '1.a.b', '1.5'];
  it.each([
    ...broken,
    ...dotted,
    '[1,"\\u0000"]',
    '[1,"\\ud800"]',
    '[3,"runs","0de5350e",1763715600000,"run_ses_1_a"]',
    '[2,"runs","0de5350e",1763715600000]',
    '[2,"runs","0de5350e"]',
  ])('%s', (text) => {
    expect(refusalOf(() => runs.decode(cursorOf(text), CONDITIONS))).toMatchObject(REFUSED);
  });
});

describe('what an earlier version handed out is still taken', () => {
  const places = new Cursors<readonly [number, number]>(
    'places',
    (key) => key,
    ([a, b]) => (isCount(a) && isCount(b) ? [a, b] : null),
  );

  it('of runs, sessions and tasks', () =>
    expect(runs.decode('WzEsImEiXQ', CONDITIONS)).toEqual({ createdAt: 1, id: 'a' }));
  it('of datastores, documents and keys', () =>
    expect(runs.decode(cursorOf('17.key_0a1'), CONDITIONS)).toEqual({ createdAt: 17, id: 'key_0a1' }));
  it('of deliveries', () => expect(places.decode(cursorOf('3.40'), {})).toEqual([3, 40]));
});
