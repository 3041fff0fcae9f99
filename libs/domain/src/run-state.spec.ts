import { describe, expect, it } from '@jest/globals';
import {
  attemptOf,
  cancelRequested,
  cancelled,
  completed,
  finalOutput,
  finalTurn,
  response,
  responseStart,
  result,
  step,
  stepResponse,
  stepResult,
  stepTurn,
  toolResponse,
  toolUse,
  toolUseStart,
  turn,
} from '../../../test/support/session-tape.js';
import { NO_CALLS } from './money/model-call.js';
import { nextAction } from './next-action.js';
import { evolveRun, newRun } from './run-state.js';
import type { SessionEvent } from './session-events.js';

const MAX_STEPS = 3;
const THREE_TURNS = {
  ...NO_CALLS,
  inputTokens: 30,
  outputTokens: 15,
  modelCalls: 3,
  cost: 3_000_000_000n,
};
const start = newRun({ mode: 'flash', model: 'm', message: 'hi', config: { streaming_tokens: true } });
const after = (...events: readonly SessionEvent[]) => events.reduce(evolveRun, start);
const next = (...events: readonly SessionEvent[]) => nextAction(after(...events), MAX_STEPS);
const uses = [toolUseStart, toolUse('{}'), toolUseStart, toolUse('{}')];
const failure: SessionEvent = {
  type: 'agent_error',
  data: { content: 'too slow', code: 'timeout', retryable: true },
};

describe('the state of a run', () => {
  it('begins with what was asked for, and nothing done', () => {
    expect(start).toEqual({
      asked: 0,
      isChoiceOpen: true,
      openActions: [],
      decisions: 0,
      steered: [],
      hasNews: false,
      hasTurn: false,
      mode: 'flash',
      model: 'm',
      message: 'hi',
      config: { streaming_tokens: true },
      steps: 0,
      warnings: [],
      isStepOpen: false,
      calls: [],
      spent: NO_CALLS,
      isCancelRequested: false,
      end: null,
    });
  });

  it('adds up tokens and cost over the turns', () => {
    const state = after(turn('c1'), result('c1', 'x'), toolResponse('{}'), step(1), turn());
    expect(state.spent).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
      modelCalls: 2,
      cost: 2_000_000_000n,
    });
  });

  it('holds the calls of the latest turn with their results', () => {
    const failed: SessionEvent = {
      type: 'tool_call_completed',
      data: { call_id: 'c2', content: 'no', is_error: true },
    };
    const state = after(turn('c1', 'c2'), ...uses, failed);
    expect(state.calls).toEqual([
      { call: { id: 'c1', name: 't', arguments: '{}' }, result: null, isResponded: false },
      {
        call: { id: 'c2', name: 't', arguments: '{}' },
        result: { content: 'no', isError: true },
        isResponded: false,
      },
    ]);
  });

  it('keeps the first result of a call', () => {
    const state = after(turn('c1'), result('c1', 'first'), result('c1', 'second'));
    expect(state.calls[0]?.result?.content).toBe('first');
  });

  it('marks responses in the order of the calls', () => {
    const state = after(turn('c1', 'c2'), result('c2', 'b'), result('c1', 'a'), toolResponse('{}'));
    expect(state.calls.map((c) => c.isResponded)).toEqual([true, false]);
  });

  it('is not changed by text, costs or requests', () => {
    expect(
      after(responseStart, response('hi'), { type: 'agent_cost', data: { cost: '1' } }, ...uses),
    ).toEqual(start);
  });

  it("counts what a workflow step spends; its turns, results and responses are not the main agent's", () => {
    const main = after(turn('c1', 'c2'), result('c2', 'x'));
    const of = attemptOf('a');
    const state = [
      stepTurn(of, 'let me see', 'c1', 'c2'),
      stepResult(of, 'c1', 'not of the main agent'),
      stepResult(of, 'c2', 'neither'),
      ...stepResponse(of, 'c1', '{}'),
      ...stepResponse(of, 'c2', '{}'),
      stepTurn(of, 'done'),
    ].reduce(evolveRun, main);
    expect(state).toEqual({
      ...main,
      isAskingForStep: true,
      spent: THREE_TURNS,
    });
    const responded = [result('c1', 'w'), toolResponse('{}')].reduce(evolveRun, state);
    expect(responded.calls.map((c) => c.isResponded)).toEqual([true, false]);
  });

  it('keeps the answers to the request for the final output, which are no turns of the agent', () => {
    const done = after(turn(), step(1));
    const state = [finalTurn('{'), finalTurn('{}')].reduce(evolveRun, done);
    expect(state).toEqual({
      ...done,
      spent: THREE_TURNS,
      finalAnswers: ['{', '{}'],
    });
    expect(evolveRun(state, finalOutput('{}'))).toEqual({ ...state, hasFinalOutput: true });
  });

  it('names the specialist to whom it was handed off last', () => {
    const to = (agent: string): SessionEvent => ({ type: 'agent_handoff', data: { agent } });
    expect(after(to('a'), to('b')).agent).toBe('b');
  });

  it.each([
    [completed, { kind: 'completed' }],
    [cancelled, { kind: 'cancelled' }],
    [failure, { kind: 'failed', code: 'timeout', message: 'too slow', isRetryable: true }],
  ] as const)('has the end that %j says', (event, end) => {
    expect(after(event).end).toEqual(end);
  });
});

describe('what a run does next', () => {
  it('asks the model at the start, also after a piece of an answer that broke', () => {
    expect(next()).toEqual({ kind: 'call_model' });
    expect(next(responseStart, response('6 x'))).toEqual({ kind: 'call_model' });
  });

  it('runs the calls that have no result', () => {
    const action = next(turn('c1', 'c2'), ...uses, result('c1', 'x'));
    expect(action).toMatchObject({ kind: 'run_tools', calls: [{ call: { id: 'c2' } }] });
  });

  it('writes the responses that are missing when every call has its result', () => {
    const events = [turn('c1', 'c2'), ...uses, result('c2', 'b'), result('c1', 'a')];
    expect(next(...events)).toMatchObject({
      kind: 'close_step',
      responses: [{ call: { id: 'c1' } }, { call: { id: 'c2' } }],
    });
    expect(next(...events, toolResponse('{}'))).toMatchObject({
      kind: 'close_step',
      responses: [{ call: { id: 'c2' } }],
    });
    expect(next(...events, toolResponse('{}'), toolResponse('{}'))).toEqual({
      kind: 'close_step',
      responses: [],
    });
  });

  it('closes the step of a turn without calls, then completes', () => {
    expect(next(turn())).toEqual({ kind: 'close_step', responses: [] });
    expect(next(turn(), step(1))).toEqual({ kind: 'finish', end: { kind: 'completed' } });
  });

  it('asks the model again after a step with calls', () => {
    expect(next(turn('c1'), result('c1', 'x'), toolResponse('{}'), step(1))).toEqual({ kind: 'call_model' });
  });

  it('fails when the agent is not done after the last step it may take', () => {
    const one = [turn('c1'), result('c1', 'x'), toolResponse('{}')];
    expect(next(...one, step(1), ...one, step(2), ...one, step(3))).toEqual({
      kind: 'finish',
      end: {
        kind: 'failed',
        code: 'max_steps',
        message: 'the agent was not done after 3 steps',
        isRetryable: false,
      },
    });
    expect(next(...one, step(1), ...one, step(2), turn(), step(3))).toMatchObject({
      end: { kind: 'completed' },
    });
  });

  it('ends a run whose cancel was requested, whatever is open', () => {
    const end = { kind: 'finish', end: { kind: 'cancelled' } };
    expect(next(cancelRequested)).toEqual(end);
    expect(next(turn('c1'), ...uses, cancelRequested)).toEqual(end);
    expect(next(turn(), step(1), cancelRequested)).toEqual(end);
  });

  it('stops at the end, whatever was requested', () => {
    expect(next(turn(), step(1), completed)).toEqual({ kind: 'stop' });
    expect(next(cancelRequested, cancelled)).toEqual({ kind: 'stop' });
    expect(next(failure)).toEqual({ kind: 'stop' });
  });
});
