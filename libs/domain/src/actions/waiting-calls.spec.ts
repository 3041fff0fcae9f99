import { describe, expect, it } from '@jest/globals';
import {
  attemptOf,
  finalOutput,
  finalTurn,
  result,
  step,
  stepResult,
  toolResponse,
  turn,
} from '../../../../test/support/session-tape.js';
import {
  askingStepTurn,
  askingTurn,
  asks,
  begun,
  resolves,
  steered,
  steers,
} from '../../../../test/support/waiting-tape.js';
import { nextAction } from '../next-action.js';
import { type RunState, evolveRun, newRun } from '../run-state.js';
import type { Draft } from '../draft.js';
import type { RunConfig } from '../run-config.js';
import { actionId } from './action-ids.js';
import { isReleased, isUndecided } from './waiting-calls.js';

const run = 'run_ses_1_a';

const after = (config: RunConfig, ...events: readonly Draft[]): RunState =>
  events.reduce(evolveRun, newRun({ mode: 'base', model: 'm', message: 'hi', config }));
const of = (...events: readonly Draft[]) => after({}, ...events);

/** Each call of the latest turn, in a word. */
const callsOf = ({ calls }: RunState) =>
  calls.map((call) => {
    if (call.result !== null) return `${call.call.id} ${call.result.content as string}`;
    if (isUndecided(call)) return `${call.call.id} undecided`;
    return `${call.call.id} ${isReleased(call) ? 'released' : 'open'}`;
  });
const nextOf = (state: RunState, maxSteps = 25) => nextAction(state, maxSteps).kind;

describe('calls that need somebody', () => {
  const asked = [
    askingTurn({ c1: 'approval', c2: undefined, c3: 'approval', c4: 'caller' }),
    asks(run, 0),
    asks(run, 1),
    asks(run, 2, 'tool'),
  ];

  it('are those that the actions behind their turn are about, in order', () => {
    const state = of(...asked);
    expect(state.calls.map(({ action }) => action?.id)).toEqual([
      actionId(run, 0),
      undefined,
      actionId(run, 1),
      actionId(run, 2),
    ]);
    expect(callsOf(state)).toEqual(['c1 undecided', 'c2 open', 'c3 undecided', 'c4 undecided']);
    expect(state).toMatchObject({ asked: 3, openActions: [0, 1, 2].map((n) => actionId(run, n)) });
  });

  it('are released each by its own decision, once, until they are begun', () => {
    const state = of(...asked, resolves(run, 1));
    expect(callsOf(state)).toEqual(['c1 undecided', 'c2 open', 'c3 released', 'c4 undecided']);
    expect(callsOf(evolveRun(state, begun('c3')))[2]).toBe('c3 open');
  });

  it('have the result that a decision brings, the first one', () => {
    const state = of(...asked, resolves(run, 2, 'answer'), result('c4', '42'), result('c4', 'late'));
    expect(callsOf(state)[3]).toBe('c4 42');
  });

  it.each(['deny', 'expired', 'answer'] as const)(
    'can neither be made nor given up while the result that stands behind their decision is not read: %s',
    (decision) => {
      expect(callsOf(of(...asked, resolves(run, 0, decision)))[0]).toBe('c1 undecided');
    },
  );

  it('keep their first decision', () => {
    const state = of(...asked, resolves(run, 0), resolves(run, 0, 'deny'));
    expect(callsOf(state)[0]).toBe('c1 released');
  });

  it('count decisions since the claim, those of steps, too', () => {
    const state = of(...asked, resolves(run, 0), resolves(run, 7));
    expect(state.decisions).toBe(2);
    const claim: Draft = { type: 'run_claimed', data: { worker: 'w', epoch: 2, requested: 1 } };
    expect(evolveRun(state, claim)).toMatchObject({ decisions: 0, asked: 3 });
  });

  it('are not those of a workflow step, which is asked between', () => {
    const at = attemptOf('a', 1, 'c2');
    const state = of(...asked, askingStepTurn(at, { s1: 'approval' }), asks(run, 3), begun('c1', at));
    expect(callsOf(state)).toEqual(['c1 undecided', 'c2 open', 'c3 undecided', 'c4 undecided']);
    expect(state).toMatchObject({ asked: 4, openActions: { length: 4 } });
    const released = [resolves(run, 3), stepResult(at, 'c1', 'of the step')].reduce(evolveRun, state);
    expect(callsOf(released)[0]).toBe('c1 undecided');
    expect(released).toMatchObject({ openActions: { length: 3 }, decisions: 1 });
  });

  it('keep a turn open until each has its result', () => {
    const state = of(...asked, ...['c1', 'c2', 'c3'].map((c) => result(c, 'x')));
    expect(nextOf(state)).toBe('wait');
    expect(nextOf(evolveRun(state, result('c4', 'x')))).toBe('close_step');
  });
});

describe("a run's tool servers that it has asked for", () => {
  it.each([
    ['supply', 'supplied'],
    ['deny', 'denied'],
    ['expired', 'denied'],
  ] as const)('are, after %s, %s', (decision, outcome) => {
    const state = of(askingTurn({ c1: 'approval' }), asks(run, 0), asks(run, 1, 'tool_servers'));
    expect(state.servers).toEqual({ action: actionId(run, 1), outcome: 'open' });
    expect(evolveRun(state, resolves(run, 1, decision)).servers?.outcome).toBe(outcome);
  });

  it('are asked for anew under another id, of which the first decision says nothing', () => {
    const state = of(asks(run, 0, 'tool_servers'), resolves(run, 0, 'supply'), asks(run, 1, 'tool_servers'));
    expect(state.servers).toEqual({ action: actionId(run, 1), outcome: 'open' });
  });
});

describe('a message that came in', () => {
  it('is taken in at the end of the step, not before', () => {
    const open = of(turn('c1'), steers('s', 'faster'), result('c1', 'x'));
    expect(nextOf(open)).toBe('close_step');
    const closed = [toolResponse('x'), step(1)].reduce(evolveRun, open);
    expect(nextAction(closed, 25)).toEqual({ kind: 'take_in', messages: ['faster'] });
  });

  it('is taken in instead of completing, and then the model is asked once', () => {
    const said = of(turn(), step(1), steers('s', 'faster'));
    expect(nextOf(said)).toBe('take_in');
    const told = evolveRun(said, steered('faster'));
    expect(nextOf(told)).toBe('call_model');
    expect(nextOf([turn(), step(2)].reduce(evolveRun, told))).toBe('finish');
  });

  it('is taken in before the first turn, too', () => {
    const state = of(steers('s', 'faster'));
    expect(nextOf(state)).toBe('take_in');
    expect(nextOf(evolveRun(state, steered('faster')))).toBe('call_model');
  });

  it('has the final output asked for anew', () => {
    const config = { final_output: { name: 'answer', schema: {} } };
    const state = after(config, turn(), step(1), finalTurn('{}'), finalOutput('{}'), steers('s', 'and b'));
    expect(nextOf(state)).toBe('take_in');
    const told = evolveRun(state, steered('and b'));
    expect(told.finalAnswers).toBeUndefined();
    const again = [turn(), step(2)].reduce(evolveRun, told);
    expect(nextOf(again)).toBe('final_output');
    expect(nextOf([finalTurn('{}'), finalOutput('{}')].reduce(evolveRun, again))).toBe('finish');
  });

  it('gives way to a cancel, and no run goes beyond its steps for it', () => {
    const cancel: Draft = { type: 'run_cancel_requested', data: {} };
    expect(nextOf(of(turn(), step(1), steers('s', 'm'), cancel))).toBe('finish');
    const told = of(turn(), step(1), steers('s', 'm'), steered('m'));
    expect(nextAction(told, 1)).toMatchObject({ kind: 'finish', end: { code: 'max_steps' } });
  });
});
