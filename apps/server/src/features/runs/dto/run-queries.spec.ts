import { describe, expect, test } from '@jest/globals';
import { Problem } from '#domain';
import type { Dto } from '../../../edge/validation/field-notes.js';
import { refuseQuery } from '../../../edge/validation/nothing.js';
import { validated } from '../../../edge/validation/validate.js';
import { EventsQuery, parseLastEventId } from '../shared/events-query.js';
import { RunQuery, RunsQuery, SessionQuery } from './run-queries.js';

const reader =
  <T extends object>(dto: Dto<T>) =>
  (raw: unknown): T =>
    validated(dto, raw);
const [runQuery, sessionQuery] = [reader(RunQuery), reader(SessionQuery)];
const [runsQuery, eventsQuery] = [reader(RunsQuery), reader(EventsQuery)];

const pathsOf = (act: () => unknown): readonly string[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof Problem) return (error.more.errors ?? []).map(({ path }) => path);
    throw error;
  }
};

describe('query strings', () => {
  test('are read with their defaults', () => {
    expect(runQuery({})).toEqual({ session: undefined });
    expect(sessionQuery({ session: 'ses_1' })).toEqual({ session: 'ses_1' });
    expect(eventsQuery({ after: '0', limit: '200' })).toEqual({ after: 0, limit: 200, cursor: undefined });
    expect(
      runsQuery({ status: 'failed', from: '2026-02-28', to: '2026-03-01T00:00:00.5+01:00' }),
    ).toMatchObject({
      limit: 50,
      status: 'failed',
      from: Date.UTC(2026, 1, 28),
      to: Date.UTC(2026, 1, 28, 23, 0, 0, 500),
    });
  });

  test.each<[string, (raw: unknown) => unknown, object]>([
    ['foo', refuseQuery, { foo: '1' }],
    ['__proto__', refuseQuery, JSON.parse('{"__proto__":"1"}') as object],
    ['toString', refuseQuery, { toString: 'a' }],
    ['Session', runQuery, { Session: 'a' }],
    ['session', runQuery, { session: ['a', 'b'] }],
    ['session', runQuery, { session: '' }],
    ['session', runQuery, { session: 'a\0' }],
    ['session', sessionQuery, { session: 'a'.repeat(201) }],
    ['cursor', runsQuery, { cursor: 'a'.repeat(1_001) }],
    ['session', sessionQuery, {}],
    ['limit', runsQuery, { limit: '0' }],
    ['limit', runsQuery, { limit: '201' }],
    ['limit', runsQuery, { limit: '5.0' }],
    ['limit', runsQuery, { limit: '' }],
    ['cursor', runsQuery, { cursor: '' }],
    ['status', runsQuery, { status: 'done' }],
    ['from', runsQuery, { from: '2026-02-30' }],
    ['from', runsQuery, { from: '2026-02-28T10:00' }],
    ['to', runsQuery, { to: 'yesterday' }],
    ['after', eventsQuery, { after: '-1' }],
    ['after', eventsQuery, { after: '9007199254740993' }],
    ['after', eventsQuery, { after: '1e3' }],
  ])('are refused, naming %s', (path, read, raw) => {
    expect(pathsOf(() => read(raw))).toEqual([path]);
  });

  test('Last-Event-ID is a whole number', () => {
    expect(parseLastEventId(undefined)).toBeUndefined();
    expect(parseLastEventId('12')).toBe(12);
    for (const wrong of ['', '-1', '1, 2', 'abc']) {
      expect(pathsOf(() => parseLastEventId(wrong))).toEqual(['Last-Event-ID']);
    }
  });
});
