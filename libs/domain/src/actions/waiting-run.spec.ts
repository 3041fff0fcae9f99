import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  SessionTape,
  attemptOf,
  opened,
  requested,
  step,
  turn,
} from '../../../../test/support/session-tape.js';
import {
  EXPIRES_AT,
  askingStepTurn,
  askingTurn,
  asks,
  parked,
  resolves,
  steered,
  steers,
} from '../../../../test/support/waiting-tape.js';
import type { Draft } from '../draft.js';
import { decideEnd, decidePark } from '../run-ends.js';
import { decideCancel, decideClaimNext, decideStart, decideTakeOver } from '../session-commands.js';
import { NO_SESSION, type SessionState, evolveSession, isParked } from '../session-state.js';
import { PROJECT, runRequest } from '../../../../test/support/session-tape.js';
import { actionId } from './action-ids.js';
import { decideAction } from './decide-action.js';

const run = 'run_ses_1_a';
const opening = () => new SessionTape().add(undefined, opened);

describe('what a session knows of the run that waits', () => {
  it('are its open actions, with their calls, and how many were decided since the claim', () => {
    const tape = opening().addRun(run, 'hi', askingTurn({ c1: 'approval', c2: 'caller' }));
    tape.add(run, asks(run, 0), asks(run, 1, 'tool'), resolves(run, 0));
    expect(tape.state.current).toMatchObject({
      actions: [{ id: actionId(run, 1), kind: 'tool', asked: 6, expires_at: EXPIRES_AT, call_id: 'c2' }],
      decisions: 1,
    });
  });

  it('keeps calls of two steps that are asked about one after the other apart', () => {
    const [a, b] = [attemptOf('a'), attemptOf('b')];
    const tape = opening().addRun(run, 'hi', askingStepTurn(a, { c: 'approval' }), asks(run, 0));
    tape.add(run, askingStepTurn(b, { c: 'approval' }), asks(run, 1));
    expect(tape.state.current?.actions).toMatchObject([{ step: a }, { step: b }]);
  });

  it('is parked until the first decision, whatever else comes', () => {
    const tape = opening().addRun(run, 'hi', askingTurn({ c1: 'approval' }), asks(run, 0), parked);
    expect(isParked(tape.state)).toBe(true);
    tape.add(run, steers('run_ses_1_s', 'faster')).add('run_ses_1_b', requested('next'));
    expect(isParked(tape.state)).toBe(true);
    tape.add(run, resolves(run, 0));
    expect(tape.state.current?.park).toBe('woken');
  });

  it('goes with a claim, which says what is still open', () => {
    const tape = opening().addRun(run, 'hi', askingTurn({ c1: 'approval', c2: 'approval' }));
    tape.add(run, asks(run, 0), asks(run, 1), parked, steers('run_ses_1_s', 'faster', 'key_3'));
    tape.add(run, resolves(run, 0));
    tape.add(undefined, ...(decideTakeOver(tape.state, run, 1, 'w2') ?? []));
    const claim = tape.events.at(-1);
    expect(claim?.data).toEqual({
      worker: 'w2',
      epoch: 2,
      requested: 1,
      actions: [{ id: actionId(run, 1), kind: 'approval', asked: 6, expires_at: EXPIRES_AT, call_id: 'c2' }],
      steered: [{ id: 'run_ses_1_s', content: 'faster', actor: 'key_3' }],
      steerers: ['key_3'],
      cost: '0.001',
    });
    expect(tape.state.current).toMatchObject({ epoch: 2, decisions: 0, actors: ['key_1', 'key_3'] });
    expect(tape.state.current?.park).toBeUndefined();
  });

  it('forgets a message that was taken in, not who sent it; and knows it when it comes again', () => {
    const tape = opening().addRun(run, 'hi', turn(), steers('run_ses_1_s', 'faster', 'key_3'), step(1));
    tape.add(run, steered('faster'));
    expect(tape.state.current).toMatchObject({ steered: [], actors: ['key_1', 'key_3'] });
    const again = runRequest('run_ses_1_s', { onBusy: 'steer' });
    const terms = { project: PROJECT, actor: 'key_3', worker: 'w', next: tape.next, hasRoom: true };
    expect(decideStart(tape.state, again, terms)).toEqual({ kind: 'known' });
    tape.add(undefined, ...decideEnd(tape.state, { type: 'agent_completed', data: {} }, 0n));
    expect(decideStart(tape.state, again, { ...terms, next: tape.next })).toEqual({ kind: 'known' });
  });
});

/** What may happen to a session, as numbers: what is possible when its turn comes is done. */
const history = fc.array(fc.tuple(fc.nat(11), fc.nat(3)), { maxLength: 60 });

class Story {
  readonly tape = opening();
  private runs = 0;
  private calls = 0;
  private asked = 0;
  private turned = 0;

  play([what, which]: readonly [number, number]): void {
    const { tape } = this;
    const { state } = tape;
    const { current } = state;
    const asActor = `key_${which}`;
    const terms = { project: PROJECT, actor: asActor, worker: 'w1', next: tape.next, hasRoom: true };
    const start = (onBusy: 'enqueue' | 'interrupt' | 'steer') =>
      decideStart(state, runRequest(`run_ses_1_${++this.runs}`, { onBusy }), terms);
    const write = (drafts: readonly Draft[] | null) => void tape.add(current?.run, ...(drafts ?? []));
    if (what === 0) return this.begin(start('enqueue'));
    if (what === 1) return this.begin(start('interrupt'));
    if (what === 2) return this.begin(start('steer'));
    if (current === null) {
      const next = state.waiting[0];
      return write(next === undefined ? [] : decideClaimNext(state, next.run, 'w1'));
    }
    if (what === 3) return write(decideCancel(state, current.run));
    if (what === 4) return write(decideTakeOver(state, current.run, current.epoch, `w${which}`));
    const open = current.actions[which % Math.max(1, current.actions.length)];
    if (what <= 6 && open !== undefined) return write(this.decide(state, open.id, which));
    if (current.park !== undefined) return;
    if (what === 7) return write(decidePark(state, current.decisions));
    if (what === 8)
      return write(current.steered.slice(0, 1).map(({ content }) => steered(content as string)));
    if (what === 9 && which === 0)
      return write(decideEnd(state, { type: 'agent_completed', data: {} }, current.cost));
    return write(this.turnOf(current.run, which));
  }

  private begin(decision: ReturnType<typeof decideStart>): void {
    if ('events' in decision) this.tape.add(undefined, ...decision.events);
  }

  private decide(state: SessionState, action: string, which: number): readonly Draft[] {
    const decision = (['approve', 'deny', 'answer', 'deny'] as const)[which] ?? 'deny';
    const given = { action, decision, actor: 'key_2', content: '{}', result: 'r', now: which * 400_000 };
    const ruling = decideAction(state, PROJECT, given);
    return 'events' in ruling ? ruling.events : [];
  }

  private turnOf(run: string, which: number): readonly Draft[] {
    this.turned++;
    const needs = Object.fromEntries(
      Array.from({ length: which }, () => [`c${++this.calls}`, 'approval' as const]),
    );
    const of = this.turned % 3 === 0 ? askingStepTurn(attemptOf('a', this.turned), needs) : askingTurn(needs);
    return [of, ...Object.keys(needs).map(() => asks(run, this.asked++))];
  }
}

it('a session read from its last claim on is what the whole of it says', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const story = new Story();
      for (const move of moves) story.play(move);
      const { events, state: whole } = story.tape;
      const from = Math.max(
        0,
        events.findLastIndex(({ type }) => type === 'run_claimed'),
      );
      const read = events.slice(from).reduce(evolveSession, NO_SESSION);
      expect({ ...read, ended: [] }).toEqual({ ...whole, ended: [] });
      if (whole.current !== null) {
        const ids = whole.current.actions.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }
    }),
    { numRuns: 500 },
  );
});
