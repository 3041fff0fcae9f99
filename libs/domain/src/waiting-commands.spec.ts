import { describe, expect, it } from '@jest/globals';
import {
  PROJECT,
  SessionTape,
  cancelRequested,
  completed,
  opened,
  requested,
  runRequest,
  turn,
} from '../../../test/support/session-tape.js';
import { askingTurn, asks, parked, resolves, steered, steers } from '../../../test/support/waiting-tape.js';
import type { Draft } from './draft.js';
import { decideEnd, decidePark } from './run-ends.js';
import { MAX_STEERED, decideCancel, decideStart, decideTakeOver } from './session-commands.js';
import type { RunRequest } from './session-commands.js';

const run = 'run_ses_1_a';
const other = 'run_ses_1_b';

/** A run that asks about one call, after a turn that cost something. */
const asking = (...more: readonly Draft[]) =>
  new SessionTape()
    .add(undefined, opened)
    .addRun(run, 'hi', askingTurn({ c1: 'approval' }), asks(run, 0), ...more);

const start = (tape: SessionTape, more: Partial<RunRequest>, actor = 'key_1') =>
  decideStart(tape.state, runRequest(other, more), {
    project: PROJECT,
    actor,
    worker: 'w1',
    next: tape.next,
    hasRoom: true,
  });

const cost: Draft = { type: 'agent_cost', data: { cost: '0.001' }, run };
const cancelled: Draft = { type: 'agent_cancelled', data: {}, run };
const shown = (content: string): Draft => ({ ...steered(content), run });
const completing = { type: 'agent_completed', data: {} } as const;

describe('a run that has nothing to do', () => {
  it('is parked while something is open and nothing was decided that its driver does not know', () => {
    expect(decidePark(asking().state, 0)).toEqual([{ ...parked, run }]);
  });

  it.each<[string, readonly Draft[]]>([
    ['a decision came that its driver does not know', [resolves(run, 0)]],
    ['a cancel came', [cancelRequested]],
    ['it has ended', [completed]],
  ])('is not parked where %s', (_, more) => {
    expect(decidePark(asking(...more).state, 0)).toEqual([]);
  });

  it('is not parked where nothing is open, nor where what is open came after a decision that is not known', () => {
    expect(decidePark(asking(resolves(run, 0)).state, 1)).toEqual([]);
    const tape = asking(resolves(run, 0), askingTurn({ c2: 'approval' }), asks(run, 1));
    expect(decidePark(tape.state, 0)).toEqual([]);
    expect(decidePark(tape.state, 1)).toEqual([{ ...parked, run }]);
  });

  it('counts the decisions from its claim on', () => {
    const tape = asking(askingTurn({ c2: 'approval' }), asks(run, 1), parked, resolves(run, 0));
    tape.add(undefined, ...(decideTakeOver(tape.state, run, 1, 'w2') ?? []));
    expect(decidePark(tape.state, 0)).toEqual([{ ...parked, run }]);
  });
});

describe('a parked run', () => {
  it('ends at once when it is cancelled: what came in, what it cost, the end', () => {
    const { state } = asking(parked, steers('s1', 'faster'), steers('s2', 'now'));
    expect(decideCancel(state, run)).toEqual([shown('faster'), shown('now'), cost, cancelled]);
  });

  it('ends at once for one that interrupts, which stands before its end', () => {
    const tape = asking(parked);
    const decision = start(tape, { onBusy: 'interrupt' });
    expect(decision).toMatchObject({
      kind: 'queue',
      events: [{ type: 'run_requested', run: other }, cost, cancelled],
    });
    if ('events' in decision) tape.add(undefined, ...decision.events);
    expect(tape.state).toMatchObject({ current: null, waiting: [{ run: other }] });
  });

  it.each([['enqueue', 'queue'] as const])('is waited for by others: %s', (onBusy, kind) => {
    expect(start(asking(parked), { onBusy })).toMatchObject({ kind });
    expect(() => start(asking(parked), { onBusy: 'reject' })).toThrow('another run of this session');
  });

  it('is taken over by nobody until somebody has decided', () => {
    expect(decideTakeOver(asking(parked).state, run, 1, 'w2')).toBeNull();
    const woken = asking(parked, resolves(run, 0)).state;
    expect(decideTakeOver(woken, run, 1, 'w2')).toMatchObject([
      { type: 'run_claimed', data: { worker: 'w2', epoch: 2 } },
    ]);
    expect(decideTakeOver(woken, run, 2, 'w2')).toBeNull();
  });

  it('that somebody has woken is cancelled like one that is driven', () => {
    const { state } = asking(parked, resolves(run, 0));
    expect(decideCancel(state, run)).toEqual([{ ...cancelRequested, run }]);
  });

  it('is not deadly, however often it is woken', () => {
    const tape = asking();
    for (let n = 0; n < 20; n++) {
      tape.add(run, parked, askingTurn({ [`d${n}`]: 'approval' }), asks(run, n + 1), resolves(run, n));
      const claim = decideTakeOver(tape.state, run, n + 1, 'w2') ?? [];
      expect(claim).toHaveLength(1);
      tape.add(undefined, ...claim);
    }
  });
});

describe('a message that steers', () => {
  const steer = (tape: SessionTape, actor?: string) => start(tape, { onBusy: 'steer', message: 'm' }, actor);
  const intoIt = {
    kind: 'steer',
    run,
    events: [{ type: 'run_steered', data: { id: other, content: 'm', actor: 'key_1' }, run }],
  };

  it('goes into the run under way, parked or woken', () => {
    expect(steer(asking())).toEqual(intoIt);
    expect(steer(asking(parked))).toEqual(intoIt);
    expect(steer(asking(parked, resolves(run, 0)))).toEqual(intoIt);
  });

  it.each<[string, SessionTape, string]>([
    ['nothing is under way', asking(completed), 'start'],
    ['it is being cancelled', asking(cancelRequested), 'queue'],
    [
      'others only wait',
      new SessionTape().add(undefined, opened).add('run_ses_1_c', requested('hi')),
      'queue',
    ],
  ])('is a run like any other where %s', (_, tape, kind) => {
    const decision = steer(tape);
    expect(decision.kind).toBe(kind);
    expect('events' in decision && decision.events[0]).toMatchObject({ type: 'run_requested', run: other });
  });

  it('is known when it comes again', () => {
    expect(steer(asking(steers(other, 'm')))).toEqual({ kind: 'known' });
  });

  it('is refused where too many wait', () => {
    const many = Array.from({ length: MAX_STEERED }, (_, n) => steers(`run_ses_1_s${n}`, 'm'));
    expect(steer(asking(...many.slice(1)))).toMatchObject({ kind: 'steer' });
    expect(() => steer(asking(...many))).toThrow(`${MAX_STEERED} messages wait`);
  });

  it('is refused where too many keys have steered, not of one that has', () => {
    const tape = asking();
    for (let n = 0; n < 100; n++) tape.add(run, steers(`run_ses_1_s${n}`, 'm', `key_s${n}`), steered('m'));
    expect(steer(tape, 'key_s7')).toMatchObject({ kind: 'steer' });
    expect(() => steer(tape, 'key_new')).toThrow('keys have steered');
  });
});

describe('the end of a run', () => {
  const { state } = asking(turn(), steers('s1', 'faster'));

  it('is not that it is completed before its model was given what came in', () => {
    expect(decideEnd(state, completing, 5n)).toEqual([]);
    expect(decideEnd(asking(turn(), steers('s1', 'm'), steered('m')).state, completing, 0n)).toHaveLength(2);
  });

  it('shows what came in before what it cost, where it fails or is cancelled', () => {
    const error = { content: 'no', code: 'internal', retryable: false } as const;
    for (const end of [
      { type: 'agent_cancelled', data: {} },
      { type: 'agent_error', data: error },
    ] as const)
      expect(decideEnd(state, end, 1_000_000_000n)).toEqual([shown('faster'), cost, { ...end, run }]);
  });

  it('is nothing where the run has ended', () => {
    expect(decideEnd(asking(completed).state, completing, 0n)).toEqual([]);
  });
});
