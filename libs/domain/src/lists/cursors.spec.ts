import { describe, expect, it, test } from '@jest/globals';
import { Cursors, creationCursors, isCount } from './cursors.js';

const KEY = { createdAt: 1_763_715_600_000, id: 'run_ses_1_a' };
const OWNER = { project: 'p', session: undefined };
const runs = creationCursors('runs');
const made = runs.encode(KEY, OWNER);
const REFUSED = { code: 'invalid_request', more: { errors: [{ path: 'cursor' }] } };
const cursorOf = (text: string): string => Buffer.from(text).toString('base64url');
const refusalOf = (decode: () => unknown): unknown => {
  try {
    return { decoded: decode() };
  } catch (error) {
    return error;
  }
};

test('a cursor comes back as it was', () => {
  expect(runs.decode(made, OWNER)).toEqual(KEY);
  expect(runs.decode(made, { project: 'p' })).toEqual(KEY);
});

test('the form is that which clients hold', () => {
  expect(made).toBe(cursorOf('[2,"runs","1770fbbf",1763715600000,"run_ses_1_a"]'));
});

test('the first page has no cursor', () => {
  expect(runs.decode(undefined, OWNER)).toBeNull();
});

test.each([{ project: 'q' }, { project: 'p', session: 's' }, {}])(
  'a cursor of p is refused for %j',
  (owner) => {
    expect(refusalOf(() => runs.decode(made, owner))).toMatchObject(REFUSED);
  },
);

test('a cursor of another list is refused', () => {
  expect(refusalOf(() => creationCursors('tasks').decode(made, OWNER))).toMatchObject(REFUSED);
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
    '[3,"runs","1770fbbf",1763715600000,"run_ses_1_a"]',
    '[2,"runs","1770fbbf",1763715600000]',
    '[2,"runs","1770fbbf"]',
  ])('%s', (text) => {
    expect(refusalOf(() => runs.decode(cursorOf(text), OWNER))).toMatchObject(REFUSED);
  });
});

describe('what an earlier version handed out is still taken', () => {
  const places = new Cursors<readonly [number, number]>(
    'places',
    (key) => key,
    ([a, b]) => (isCount(a) && isCount(b) ? [a, b] : null),
  );

  it('of runs, sessions and tasks', () =>
    expect(runs.decode('WzEsImEiXQ', OWNER)).toEqual({ createdAt: 1, id: 'a' }));
  it('of datastores, documents and keys', () =>
    expect(runs.decode(cursorOf('17.key_0a1'), OWNER)).toEqual({ createdAt: 17, id: 'key_0a1' }));
  it('of deliveries', () => expect(places.decode(cursorOf('3.40'), {})).toEqual([3, 40]));
});
