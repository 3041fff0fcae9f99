import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SessionTape,
  attemptOf,
  cancelled,
  cleared,
  completed,
  opened,
  requested,
  response,
  responseStart,
  result,
  step,
  thinking,
  thinkingStart,
  turn,
  turnFailed,
} from '../../../../test/support/session-tape.js';
import { askingTurn, asks, parked, steered, steers } from '../../../../test/support/waiting-tape.js';
import { asOf } from '../as-of/as-of.js';
import { SessionRecordFold } from '../as-of/session-record.js';
import { ContextFold, type Draft, NO_SESSION, evolveSession, parseDollars } from '#domain';
import { type SessionViewAt, foldView } from './fold-view.js';

const SESSION = 'ses_1';
const run = 'run_ses_1_0';
const view = ({ events }: SessionTape, at?: number): SessionViewAt => foldView(SESSION, events, at);
const start = () => new SessionTape().add(undefined, opened);

const MOVES: readonly (readonly Draft[])[] = [
  [responseStart, response('a')],
  [thinkingStart, thinking('c')],
  [turn('c1', 'c2')],
  [result('c1', 'done')],
  [step(1)],
  [turnFailed],
  [steers('run_ses_1_s', 'and this'), steered('and this')],
  [askingTurn({ c3: 'approval' }), asks(run, 0), parked],
  [cleared],
];
const runs = fc.array(
  fc.record({
    moves: fc.array(fc.nat(MOVES.length - 1), { maxLength: 12 }),
    end: fc.constantFrom(completed, cancelled),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('the view of a session at an event', () => {
  it('is at each event what the answers as of there are made of, and knows nothing of what comes later', () => {
    fc.assert(
      fc.property(runs, (played) => {
        const tape = start();
        for (const [n, { moves, end }] of played.entries())
          tape.addRun(`run_ses_1_${n}`, `m${n}`, ...moves.flatMap((move) => MOVES[move]!), end);
        const record = new SessionRecordFold(SESSION);
        const context = new ContextFold();
        let state = NO_SESSION;
        for (const event of tape.events) {
          record.push(event);
          context.push(event);
          state = evolveSession(state, event);
          const seen = view(tape, event.revision);
          expect(seen).toEqual(foldView(SESSION, tape.events.slice(0, event.revision + 1)));
          expect(seen).toMatchObject({
            messages: asOf(SESSION, tape.events, event.revision).messages,
            summary: record.finish(),
            context: context.settled(),
            state,
          });
          expect(seen.spent.cost).toBe(seen.summary?.cost);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('tells the turn, the claims and the open calls of a run, and no call is open when it has ended', () => {
    const tape = start().addRun(run, 'hi', turn('c1'), result('c1', 'r'), step(1), turn('c2', 'c3'));
    const busy = tape.next - 1;
    tape.add(run, { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } }, cancelled);
    const [under] = view(tape, busy).runs;
    expect(under).toMatchObject({ listed: { status: 'running' }, state: { steps: 1, isStepOpen: true } });
    expect(under?.openCalls.map(({ call }) => call.id)).toEqual(['c2', 'c3']);
    const [ended] = view(tape).runs;
    expect(ended?.claims.map(({ worker, epoch }) => [worker, epoch])).toEqual([
      ['w', 1],
      ['w2', 2],
    ]);
    expect(ended).toMatchObject({ listed: { status: 'cancelled' }, openCalls: [] });
  });

  it('tells who is waited for, and what all of it cost', () => {
    const tape = start().addRun(run, 'hi', askingTurn({ c1: 'approval' }), asks(run, 0), parked);
    expect(view(tape).waits).toMatchObject([{ run, kind: 'approval', call_id: 'c1' }]);
    tape.add(run, cancelled).addRun('run_ses_1_1', 'again', turn(), step(1), completed);
    expect(view(tape)).toMatchObject({ waits: [], spent: { modelCalls: 2 } });
    expect(view(tape).spent.cost).toBe(
      view(tape).runs.reduce((sum, { listed }) => sum + listed.spent.cost, 0n),
    );
    expect(view(tape).spent.cost).toBeGreaterThanOrEqual(parseDollars('0.001'));
  });

  it('tells how far the steps of a workflow have come, also when the turn that called it is past', () => {
    const steps = ['a', 'b'].map((id, n) => ({
      id,
      name: id,
      description: id,
      depends_on: n === 0 ? [] : ['a'],
    }));
    const request = requested('hi') as Extract<Draft, { type: 'run_requested' }>;
    const config = { workflows: [{ id: 'w', name: 'w', description: 'w', steps }] };
    const tape = start().add(run, { ...request, data: { ...request.data, config } });
    tape.startRun(run, turn('c1'), { type: 'workflow_attempt_started', data: attemptOf('a') });
    const first = tape.next - 1;
    tape.add(run, { type: 'workflow_step_completed', data: { ...attemptOf('a'), output: '1' } });
    tape.add(run, { type: 'workflow_attempt_started', data: attemptOf('b') });
    tape.add(run, result('c1', 'r'), step(1), turn());
    const at = (revision?: number) => {
      const [workflow] = view(tape, revision).runs[0]!.workflows;
      return ['a', 'b'].map((id) => workflow?.state.step(id).status);
    };
    expect(at(first)).toEqual(['running', 'pending']);
    expect(at()).toEqual(['completed', 'running']);
    expect(view(tape).runs[0]?.workflows.map(({ callId }) => callId)).toEqual(['c1']);
  });
});
