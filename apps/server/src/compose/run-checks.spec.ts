import { describe, expect, test } from '@jest/globals';
import { StoredEvent } from '#event-log';
import { RunChecks } from './run-checks.js';

const eventOf = (
  type: string,
  run: string | undefined,
  { stream = 'session-ses_1', schemaVersion = 1 } = {},
) =>
  new StoredEvent(
    {
      id: '',
      type,
      time: 0,
      json: '{}',
      data: {},
      meta: { schemaVersion, project: 'p', actor: 'k', ...(run !== undefined && { run }) },
    },
    { stream, revision: 0, position: 1 },
  );

const faults = (types: readonly string[], run: string | undefined = 'run_1') => {
  const checks = new RunChecks();
  return types.map((type) => checks.check(eventOf(type, run))).filter((fault) => fault !== undefined);
};

const WHOLE = ['run_requested', 'run_claimed', 'agent_started', 'agent_response_start', 'agent_completed'];

describe('a run', () => {
  test.each([
    [WHOLE, []],
    [['run_requested', ...WHOLE], []],
    [[...WHOLE, 'tool_call_completed', 'run_cancel_requested'], []],
    [[...WHOLE, 'agent_completed'], ['run_1 has ended before']],
    [[...WHOLE, 'run_claimed'], ['run_1 has ended before']],
    [['agent_started'], ['run_1 was never requested']],
    [['run_requested', 'agent_completed'], ['run_1 was not started before']],
    [['run_requested', 'agent_started', 'agent_started'], ['run_1 was started before']],
  ])('%o: %o', (types, expected) => {
    expect(faults(types)).toEqual(expected);
  });

  test('is named by its events', () => {
    expect(new RunChecks().check(eventOf('run_claimed', undefined))).toBe('run_claimed names no run');
  });

  test('without an end is counted, and is no fault', () => {
    const checks = new RunChecks();
    for (const type of WHOLE) checks.check(eventOf(type, 'run_1'));
    checks.check(eventOf('run_requested', 'run_2'));
    expect([checks.count, checks.unfinished]).toEqual([2, 1]);
  });
});

test('an unknown type of a session and a newer schema are faults, other streams are not looked into', () => {
  const { check } = new RunChecks();
  expect(check(eventOf('agent_danced', 'run_1'))).toBe('no event of a session is called agent_danced');
  expect(check(eventOf('task_fired', undefined, { schemaVersion: 2 }))).toMatch(/newer than this program/);
  expect(check(eventOf('task_fired', undefined, { stream: 'task-1' }))).toBeUndefined();
});
