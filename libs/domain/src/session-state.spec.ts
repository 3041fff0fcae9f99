import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  PROJECT,
  SessionTape,
  cancelRequested,
  completed,
  opened,
  requested,
  runRequest,
} from '../../../test/support/session-tape.js';
import type { OnBusy } from './run-config.js';
import {
  decideCancel,
  decideClaimNext,
  decideClear,
  decideOpen,
  decideStart,
  decideTakeOver,
} from './session-commands.js';
import { NO_SESSION, evolveSession, isIdle, knowsRun, runOf } from './session-state.js';

type Step =
  | { kind: 'start'; onBusy: OnBusy; hasRoom: boolean }
  | { kind: 'cancel'; nth: number }
  | { kind: 'claim'; worker: string }
  | { kind: 'take_over'; worker: string }
  | { kind: 'clear' }
  | { kind: 'end' };

const worker = fc.constantFrom('w1', 'w2');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    onBusy: fc.constantFrom('enqueue' as const, 'interrupt' as const, 'reject' as const),
    hasRoom: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('claim' as const), worker }),
  fc.record({ kind: fc.constant('take_over' as const), worker }),
  fc.constant({ kind: 'clear' as const }),
  fc.constant({ kind: 'end' as const }),
);

/** Does to the tape what a session would; a refusal leaves it as it is. */
function perform(tape: SessionTape, step: Step): void {
  const { state } = tape;
  const { current } = state;
  const run = `r${tape.next}`;
  switch (step.kind) {
    case 'start': {
      const request = runRequest(run, { onBusy: step.onBusy });
      const { hasRoom } = step;
      const opening = decideOpen(state, request, { worker: 'w1', hasRoom });
      if (opening) return void tape.add(run, ...opening);
      if (step.onBusy === 'reject' && !isIdle(state)) return;
      const decision = decideStart(state, request, {
        project: PROJECT,
        actor: 'k1',
        worker: 'w1',
        next: tape.next,
        hasRoom,
      });
      if (decision.kind !== 'known') tape.add(run, ...decision.events);
      return;
    }
    case 'cancel': {
      const runs = [current?.run ?? '', ...state.waiting.map((w) => w.run)];
      return void tape.add(undefined, ...decideCancel(state, runs[step.nth % runs.length] ?? ''));
    }
    case 'claim':
      return void tape.add(
        undefined,
        ...(decideClaimNext(state, state.waiting[0]?.run ?? '', step.worker) ?? []),
      );
    case 'take_over':
      if (!current) return;
      return void tape.add(
        undefined,
        ...(decideTakeOver(state, current.run, current.epoch, step.worker) ?? []),
      );
    case 'clear':
      if (state.project !== null) tape.add(undefined, ...decideClear(state, PROJECT));
      return;
    case 'end':
      if (current) tape.add(current.run, completed);
  }
}

describe('the state of a session', () => {
  it('is the same folded from the last claim on, after any commands', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const tape = new SessionTape();
        for (const step of steps) {
          perform(tape, step);
          const lastClaim = tape.events.findLastIndex((e) => e.type === 'run_claimed');
          const { ended: _, ...whole } = tape.state;
          const { ended: __, ...tail } = tape.events
            .slice(Math.max(lastClaim, 0))
            .reduce(evolveSession, NO_SESSION);
          expect(tail).toEqual(whole);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('holds at most one run under way, and none of its runs twice', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const tape = new SessionTape();
        for (const step of steps) perform(tape, step);
        const { current, waiting, ended } = tape.state;
        const runs = [...(current ? [current.run] : []), ...waiting.map((w) => w.run), ...ended];
        expect(new Set(runs).size).toBe(runs.length);
      }),
      { numRuns: 300 },
    );
  });

  it('ignores a request that arrives twice: while it waits, runs, or has ended', () => {
    const tape = new SessionTape().add(undefined, opened).add('a', requested('first'));
    const waits = tape.state;
    expect(tape.add('a', requested('again')).state).toEqual(waits);
    tape.add('a', { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 1 } });
    const runs = tape.state;
    expect(tape.add('a', requested('again')).state).toEqual(runs);
    tape.add('a', completed);
    expect(tape.add('a', requested('again')).state).toMatchObject({ current: null, waiting: [] });
    expect(knowsRun(tape.state, 'a')).toBe(true);
  });

  it('marks a run that is cancelled while it waits, and keeps its place', () => {
    const tape = new SessionTape().addRun('a', 'hi').add('b', requested('b')).add('c', requested('c'));
    tape.add('b', cancelRequested);
    expect(tape.state.waiting.map((w) => [w.run, w.isCancelled])).toEqual([
      ['b', true],
      ['c', false],
    ]);
  });

  it('takes neither the end nor the cancel of a run that is not there', () => {
    const tape = new SessionTape().addRun('a', 'hi');
    const before = tape.state;
    expect(tape.add('x', completed).add('x', cancelRequested).state).toEqual(before);
  });

  it('keeps the newest 64 runs that ended', () => {
    const tape = new SessionTape();
    for (let i = 0; i < 70; i++) tape.addRun(`r${i}`, 'hi', completed);
    expect(tape.state.ended).toHaveLength(64);
    expect(tape.state.ended[0]).toBe('r6');
    expect(tape.state.ended.at(-1)).toBe('r69');
  });

  it('says which event names no run where it must', () => {
    const [event] = new SessionTape().add(undefined, completed).events;
    expect(() => runOf(event!)).toThrow('agent_completed at 0 names no run');
  });
});
