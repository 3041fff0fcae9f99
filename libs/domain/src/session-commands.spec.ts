import { describe, expect, it } from '@jest/globals';
import {
  PROJECT,
  SessionTape,
  cancelled,
  completed,
  opened,
  runRequest,
} from '../../../test/support/session-tape.js';
import { Problem } from './problem.js';
import type { Draft } from './draft.js';
import {
  type RunRequest,
  decideCancel,
  decideClaimNext,
  decideClear,
  decideOpen,
  decideStart,
  decideTakeOver,
} from './session-commands.js';
import { MAX_WAITING } from './start-refusal.js';
import { NO_SESSION } from './session-state.js';

const room = (tape: SessionTape) => ({
  project: PROJECT,
  actor: 'k1',
  worker: 'w1',
  next: tape.next,
  hasRoom: true,
});
const open = (run = 'a') => new SessionTape().add(run, opened, ...decideOpenRun(run));

function decideOpenRun(run: string): readonly Draft[] {
  const drafts = decideOpen(NO_SESSION, runRequest(run), { worker: 'w1', hasRoom: true });
  return (drafts ?? []).slice(1);
}

/** Decides a start and puts it on the tape. */
function start(tape: SessionTape, run: string, more: Partial<RunRequest> = {}) {
  const decision = decideStart(tape.state, runRequest(run, more), room(tape));
  if (decision.kind !== 'known') tape.add(run, ...decision.events);
  return decision;
}

const typesOf = (drafts: readonly Draft[] | null) =>
  drafts?.map((d) => (d.run ? `${d.type} ${d.run}` : d.type));
const order = (tape: SessionTape) => tape.state.waiting.map((w) => w.run);

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'nothing was refused';
}

describe('the first run of a session', () => {
  it('costs four events, the claim naming the request before it', () => {
    expect(decideOpen(NO_SESSION, runRequest('a'), { worker: 'w1', hasRoom: true })).toEqual([
      { type: 'session_opened', data: {} },
      {
        type: 'run_requested',
        run: 'a',
        data: {
          message: 'the message of a',
          mode: 'base',
          model: 'm',
          config: {},
          trigger: 'request',
          replica: 'r1',
        },
      },
      { type: 'run_claimed', run: 'a', data: { worker: 'w1', epoch: 1, requested: 1 } },
      { type: 'agent_started', run: 'a', data: {} },
    ]);
  });

  it('waits unclaimed where the service is full', () => {
    const drafts = decideOpen(NO_SESSION, runRequest('a'), { worker: 'w1', hasRoom: false });
    expect(typesOf(drafts)).toEqual(['session_opened', 'run_requested a']);
  });

  it('opens nothing that is there already', () => {
    expect(decideOpen(open().state, runRequest('b'), { worker: 'w1', hasRoom: true })).toBeNull();
  });
});

describe('a run in an idle session', () => {
  it.each(['enqueue', 'reject', 'interrupt'] as const)('starts at once with on_busy %s', (onBusy) => {
    const tape = open('a').add('a', completed);
    const decision = start(tape, 'b', { onBusy });
    expect(decision.kind).toBe('start');
    const claim = { requested: 5, worker: 'w1', epoch: 1, claimed: 6, isCancelRequested: false };
    const waiting = { actions: [], actors: ['key_1'], asking: [], decisions: 0, steered: [], tasks: [] };
    expect(tape.state.current).toEqual({ run: 'b', ...claim, cost: 0n, silent: 1, fruitless: 1, ...waiting });
  });

  it('waits where the service is full', () => {
    const tape = open('a').add('a', completed);
    const decision = decideStart(tape.state, runRequest('b'), { ...room(tape), hasRoom: false });
    expect(decision).toMatchObject({ kind: 'queue', events: [{ type: 'run_requested' }] });
  });

  it('is not found in a session of another project, or in none', () => {
    const tape = open('a');
    const other = { ...room(tape), project: 'other' };
    expect(codeOf(() => decideStart(tape.state, runRequest('b'), other))).toBe('not_found');
    expect(codeOf(() => decideStart(NO_SESSION, runRequest('b'), room(tape)))).toBe('not_found');
    expect(codeOf(() => decideClear(tape.state, 'other'))).toBe('not_found');
  });
});

describe('a run in a busy session', () => {
  it('waits with enqueue, in the order of acceptance', () => {
    const tape = open('a');
    expect(start(tape, 'b').kind).toBe('queue');
    expect(start(tape, 'c').kind).toBe('queue');
    expect(order(tape)).toEqual(['b', 'c']);
    expect(tape.state.current).toMatchObject({ run: 'a', isCancelRequested: false });
  });

  it('is refused with reject', () => {
    expect(codeOf(() => start(open('a'), 'b', { onBusy: 'reject' }))).toBe('session_busy');
  });

  it('is refused on the log where another try of it may arrive late', () => {
    const tape = open('a');
    const again = { ...room(tape), mayArriveLate: true };
    expect(decideStart(tape.state, runRequest('b', { onBusy: 'reject' }), again)).toMatchObject({
      kind: 'refuse',
      events: [{ type: 'run_refused', data: { code: 'session_busy' } }],
      problem: { code: 'session_busy' },
    });
    expect(decideStart(tape.state, runRequest('b'), again).kind).toBe('queue');
  });

  it('is refused with reject while nothing runs but something waits', () => {
    const tape = open('a');
    start(tape, 'b');
    tape.add('a', completed);
    expect(codeOf(() => start(tape, 'c', { onBusy: 'reject' }))).toBe('session_busy');
  });

  it('with interrupt cancels the running one and goes before those that wait, behind earlier interrupts', () => {
    const tape = open('a');
    start(tape, 'b');
    const decision = start(tape, 'c', { onBusy: 'interrupt' });
    expect(decision).toMatchObject({
      kind: 'queue',
      events: [
        { type: 'run_requested', run: 'c', data: { interrupts: true } },
        { type: 'run_cancel_requested', run: 'a' },
      ],
    });
    expect(start(tape, 'd', { onBusy: 'interrupt' })).toMatchObject({ events: [{ type: 'run_requested' }] });
    start(tape, 'e');
    expect(order(tape)).toEqual(['c', 'd', 'b', 'e']);
    expect(tape.state.current?.isCancelRequested).toBe(true);
  });

  it('with interrupt goes behind the interrupts that wait, where nothing else does', () => {
    const tape = open('a');
    for (const run of ['b', 'c', 'd']) start(tape, run, { onBusy: 'interrupt' });
    expect(order(tape)).toEqual(['b', 'c', 'd']);
  });

  it('with interrupt only goes to the front where nothing runs', () => {
    const tape = open('a');
    start(tape, 'b');
    tape.add('a', completed);
    expect(start(tape, 'c', { onBusy: 'interrupt' })).toMatchObject({ events: [{ type: 'run_requested' }] });
    expect(order(tape)).toEqual(['c', 'b']);
  });

  it(`is refused behind ${MAX_WAITING} that wait, unless it is the firing of a task`, () => {
    const tape = open('a');
    for (let i = 0; i < MAX_WAITING; i++) start(tape, `b${i}`);
    expect(tape.state.waiting).toHaveLength(100);
    expect(codeOf(() => start(tape, 'late'))).toBe('session_busy');
    expect(codeOf(() => start(tape, 'late', { onBusy: 'interrupt' }))).toBe('session_busy');
    expect(start(tape, 'firing', { trigger: 'task' }).kind).toBe('queue');
  });

  it('is known where it runs, waits or has just ended: nothing is written again', () => {
    const tape = open('a');
    start(tape, 'b');
    expect(start(tape, 'a').kind).toBe('known');
    expect(start(tape, 'b').kind).toBe('known');
    tape.add('a', completed);
    expect(start(tape, 'a').kind).toBe('known');
  });
});

describe('a cancel', () => {
  it('is asked once of a run under way and of one that waits', () => {
    const tape = open('a');
    start(tape, 'b');
    for (const run of ['a', 'b']) {
      expect(decideCancel(tape.state, run)).toEqual([{ type: 'run_cancel_requested', data: {}, run }]);
      tape.add(run, ...decideCancel(tape.state, run));
      expect(decideCancel(tape.state, run)).toEqual([]);
    }
  });

  it('is nothing where the run has ended or never was', () => {
    const tape = open('a').add('a', cancelled);
    expect(decideCancel(tape.state, 'a')).toEqual([]);
    expect(decideCancel(tape.state, 'x')).toEqual([]);
  });
});

describe('the claim of the next run', () => {
  it('takes the first that waits and tells who waits behind it', () => {
    const tape = open('a');
    start(tape, 'b');
    start(tape, 'c', { replica: 'r2' });
    tape.add('a', completed);
    expect(decideClaimNext(tape.state, 'b', 'w1')).toEqual([
      {
        type: 'run_claimed',
        run: 'b',
        data: {
          worker: 'w1',
          epoch: 1,
          requested: 4,
          waiting: [{ run: 'c', requested: 5, replica: 'r2', interrupts: false, isCancelled: false }],
        },
      },
      { type: 'agent_started', run: 'b', data: {} },
    ]);
  });

  it('is not made while a run is under way, out of turn, or where nothing waits', () => {
    const tape = open('a');
    start(tape, 'b');
    start(tape, 'c');
    expect(decideClaimNext(tape.state, 'b', 'w1')).toBeNull();
    tape.add('a', completed);
    expect(decideClaimNext(tape.state, 'c', 'w1')).toBeNull();
    expect(decideClaimNext(NO_SESSION, 'b', 'w1')).toBeNull();
  });

  it('of one that was cancelled while it waited writes its three public events at once', () => {
    const tape = open('a');
    start(tape, 'b');
    tape.add('b', ...decideCancel(tape.state, 'b')).add('a', completed);
    const drafts = decideClaimNext(tape.state, 'b', 'w1') ?? [];
    expect(drafts).toEqual([
      { type: 'run_claimed', run: 'b', data: { worker: 'w1', epoch: 1, requested: 4, isCancelled: true } },
      { type: 'agent_started', run: 'b', data: {} },
      { type: 'agent_cost', run: 'b', data: { cost: '0' } },
      { type: 'agent_cancelled', run: 'b', data: {} },
    ]);
    expect(tape.add('b', ...drafts).state).toMatchObject({ current: null, waiting: [], ended: ['a', 'b'] });
  });
});

describe('a take-over', () => {
  it('raises the epoch and tells who waits', () => {
    const tape = open('a');
    start(tape, 'b');
    expect(decideTakeOver(tape.state, 'a', 1, 'w2')).toEqual([
      {
        type: 'run_claimed',
        run: 'a',
        data: {
          worker: 'w2',
          epoch: 2,
          requested: 1,
          silent: 1,
          fruitless: 1,
          waiting: [{ run: 'b', requested: 4, replica: 'r1', interrupts: false, isCancelled: false }],
        },
      },
    ]);
  });

  it('is not made of a run that ended, nor where somebody else was faster', () => {
    const tape = open('a');
    tape.add('a', ...(decideTakeOver(tape.state, 'a', 1, 'w2') ?? []));
    expect(decideTakeOver(tape.state, 'a', 1, 'w3')).toBeNull();
    expect(decideTakeOver(tape.state, 'a', 2, 'w3')).not.toBeNull();
    tape.add('a', completed);
    expect(decideTakeOver(tape.state, 'a', 2, 'w3')).toBeNull();
  });

  it('knows of a cancel that the worker before did not get to', () => {
    const tape = open('a');
    tape.add('a', ...decideCancel(tape.state, 'a'));
    tape.add('a', ...(decideTakeOver(tape.state, 'a', 1, 'w2') ?? []));
    expect(tape.state.current).toMatchObject({ epoch: 2, isCancelRequested: true });
    const fromClaim = new SessionTape();
    fromClaim.events.push(...tape.events.slice(-1));
    expect(fromClaim.state.current).toEqual(tape.state.current);
  });
});
