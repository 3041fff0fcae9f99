import { describe, expect, it } from '@jest/globals';
import {
  PROJECT,
  SessionTape,
  attemptOf,
  cancelRequested,
  completed,
  opened,
} from '../../../../test/support/session-tape.js';
import {
  EXPIRES_AT,
  askingStepTurn,
  askingTurn,
  asks,
  parked,
  resolves,
} from '../../../../test/support/waiting-tape.js';
import type { Draft } from '../draft.js';
import { actionId } from './action-ids.js';
import type { ActionKind } from './action.js';
import { EXPIRED_RESULT, decideAction, decideExpiry, fitsKind, openAction } from './decide-action.js';
import type { ActionVerdict } from './decide-action.js';

const run = 'run_ses_1_a';
const id = actionId(run, 0);

/** A run that asks about the call `c1`. */
const asking = (...more: readonly Draft[]) =>
  new SessionTape()
    .add(undefined, opened)
    .addRun(run, 'hi', askingTurn({ c1: 'approval' }), asks(run, 0), ...more);

const verdict = (more: Partial<ActionVerdict> = {}): ActionVerdict => ({
  action: id,
  decision: 'approve',
  actor: 'key_2',
  content: '{}',
  result: 'the result',
  now: EXPIRES_AT - 1,
  ...more,
});

const resolved = (more: object = {}): object => ({
  type: 'agent_action_resolved',
  data: { action_id: id, decision: 'approve', actor: 'key_2', content: '{}', ...more },
  run,
});

const resultOf = (more: object = {}): object => ({
  type: 'tool_call_completed',
  data: { call_id: 'c1', content: 'the result', action: id, ...more },
  run,
});

describe('an action that is open', () => {
  it('is decided by whoever is first, a moment before its time is over, too', () => {
    expect(decideAction(asking().state, PROJECT, verdict())).toEqual({
      kind: 'decided',
      events: [resolved()],
    });
  });

  it.each([
    ['approve', [resolved()]],
    ['deny', [resolved({ decision: 'deny' }), resultOf({ is_error: true })]],
    ['answer', [resolved({ decision: 'answer' }), resultOf()]],
  ] as const)(
    'has the result in the append of the decision where that brings one: %s',
    (decision, events) => {
      expect(decideAction(asking().state, PROJECT, verdict({ decision }))).toEqual({
        kind: 'decided',
        events,
      });
    },
  );

  it("names the attempt in the result of a step's call", () => {
    const step = attemptOf('a', 2, 'w1');
    const tape = new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'hi', askingStepTurn(step, { c1: 'approval' }), asks(run, 0));
    expect(decideAction(tape.state, PROJECT, verdict({ decision: 'deny' }))).toEqual({
      kind: 'decided',
      events: [resolved({ decision: 'deny' }), resultOf({ is_error: true, step })],
    });
    expect(decideExpiry(tape.state, id, EXPIRES_AT)[1]).toMatchObject({ data: { step, is_error: true } });
  });

  it('brings no result where it is not about a call', () => {
    const tape = new SessionTape().add(undefined, opened).addRun(run, 'hi', asks(run, 0, 'tool_servers'));
    const ruling = decideAction(tape.state, PROJECT, verdict({ decision: 'deny' }));
    expect(ruling).toEqual({ kind: 'decided', events: [resolved({ decision: 'deny' })] });
  });

  it('is one of the calls that need somebody, in their order, whoever is between', () => {
    const needs = { c1: undefined, c2: 'approval', c3: undefined, c4: 'caller' } as const;
    const { state } = new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'hi', askingTurn(needs), asks(run, 0), asks(run, 1, 'tool'));
    expect(openAction(state, PROJECT, id)?.action.call_id).toBe('c2');
    expect(openAction(state, PROJECT, actionId(run, 1))?.action).toMatchObject({
      call_id: 'c4',
      kind: 'tool',
    });
  });
});

describe('an action whose time is over', () => {
  const expired = [
    resolved({ decision: 'expired', actor: '' }),
    resultOf({ content: EXPIRED_RESULT, is_error: true }),
  ];

  it.each([0, 1, 10 ** 9])('is expired %d ms after it, whatever somebody decides', (later) => {
    const now = EXPIRES_AT + later;
    expect(decideAction(asking().state, PROJECT, verdict({ now }))).toEqual({
      kind: 'expired',
      events: expired,
    });
    expect(decideExpiry(asking().state, id, now)).toEqual(expired);
  });

  it('is left alone by the clock a moment before, and when somebody was faster', () => {
    expect(decideExpiry(asking().state, id, EXPIRES_AT - 1)).toEqual([]);
    expect(decideExpiry(asking(resolves(run, 0)).state, id, EXPIRES_AT)).toEqual([]);
    expect(decideExpiry(asking(completed).state, id, EXPIRES_AT)).toEqual([]);
  });
});

describe('an action that nobody can decide on', () => {
  it.each<[string, readonly Draft[]]>([
    ['it is decided', [resolves(run, 0)]],
    ['it is decided, and its run has parked before that', [parked, resolves(run, 0)]],
    ['its time was over', [resolves(run, 0, 'expired')]],
    ['its run has ended', [completed]],
    ['its session is erased', [{ type: 'session_erased', data: { events: 5 } }]],
  ])('is not open: %s', (_, more) => {
    expect(decideAction(asking(...more).state, PROJECT, verdict())).toEqual({ kind: 'not_open' });
  });

  it('is not open under an id that nobody asked under, or to another project', () => {
    const { state } = asking();
    const other = verdict({ action: actionId(run, 1) });
    expect(decideAction(state, PROJECT, other)).toEqual({ kind: 'not_open' });
    expect(decideAction(state, 'another', verdict())).toEqual({ kind: 'not_open' });
  });

  it.each([EXPIRES_AT - 1, EXPIRES_AT])('ends with its run, which is being cancelled (at %d)', (now) => {
    const { state } = asking(cancelRequested);
    expect(decideAction(state, PROJECT, verdict({ now }))).toEqual({ kind: 'ending' });
  });
});

it.each<[ActionKind, string]>([
  ['approval', 'approve'],
  ['tool', 'answer'],
  ['budget', 'raise'],
  ['tool_servers', 'supply'],
  ['input', 'answer'],
])('an action of kind %s is closed by %s, and by a denial', (kind, decision) => {
  const all = ['approve', 'answer', 'raise', 'supply', 'deny'] as const;
  expect(all.filter((one) => fitsKind(one, kind))).toEqual([decision, 'deny']);
});
