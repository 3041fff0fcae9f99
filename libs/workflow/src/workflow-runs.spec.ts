import { describe, expect, it } from '@jest/globals';
import {
  attemptOf,
  finalTurn,
  result,
  stepResponse,
  stepResult,
  stepTurn,
  turn,
} from '../../../test/support/session-tape.js';
import { askingStepTurn, asks } from '../../../test/support/waiting-tape.js';
import { stepOf, workflowOf } from '../../../test/support/workflows.js';
import { type Draft, OUTCOME_UNKNOWN, actionId, concernsOthers } from '#domain';
import { AttemptTranscript } from './attempt-transcript.js';
import { WorkflowRuns } from './workflow-runs.js';

const MAX_TURNS = 3;
const workflow = workflowOf(
  stepOf('a', [], { retry_policy: { max_attempts: 2, backoff: 'none' } }),
  stepOf('b', ['a']),
);
const a1 = attemptOf('a');
const started = (step = a1): Draft => ({ type: 'workflow_attempt_started', data: step });
const failed: Draft = { type: 'workflow_attempt_failed', data: { ...a1, errors: ['no'], next_at: 7 } };
const completed = (step = a1): Draft => ({ type: 'workflow_step_completed', data: { ...step, output: 'x' } });

function runsAfter(...events: readonly Draft[]): WorkflowRuns {
  const runs = new WorkflowRuns([workflow]);
  for (const event of events) runs.push(event);
  return runs;
}

const nextOf = (...events: readonly Draft[]) => {
  const transcript = new AttemptTranscript();
  for (const event of events) transcript.push(event);
  return transcript.next(MAX_TURNS);
};

describe('the workflows of a run', () => {
  it('know nothing of a call that has done nothing yet', () => {
    expect(runsAfter(turn('c1')).of('c1')).toBeUndefined();
  });

  it('hold how far each call has come', () => {
    const other = attemptOf('a', 1, 'c2');
    const runs = runsAfter(turn('c1', 'c2'), started(), started(other), failed, completed(other));
    expect(runs.of('c1')?.state.step('a')).toEqual({
      status: 'waiting',
      attempt: 2,
      errors: ['no'],
      nextAt: 7,
    });
    expect(runs.of('c2')?.state.step('a')).toMatchObject({ status: 'completed', output: 'x' });
  });

  it('hold the turns of the attempts that have not ended, each for itself', () => {
    const other = attemptOf('a', 1, 'c2');
    const runs = runsAfter(
      turn('c1', 'c2'),
      started(),
      started(other),
      stepTurn(a1, 'let me see', 't1'),
      stepTurn(other, 'me too', 't1'),
      stepResult(other, 't1', 'of c2'),
      stepResult(a1, 't1', 'of c1'),
      ...stepResponse(a1, 't1', '{}'),
    );
    const mine = runs.of('c1')?.transcripts.get('a');
    expect(mine?.messages).toMatchObject([
      { role: 'assistant', content: 'let me see', toolCalls: [{ id: 't1' }] },
      { role: 'tool', callId: 't1', content: 'of c1' },
    ]);
    expect(mine?.next(MAX_TURNS)).toEqual({ kind: 'call_model' });
    expect(runs.of('c2')?.transcripts.get('a')?.next(MAX_TURNS)).toMatchObject({ kind: 'respond' });
  });

  it('begin an attempt with nothing of the one before, and forget one that has ended', () => {
    const runs = runsAfter(turn('c1'), started(), stepTurn(a1, 'x'), failed, started(attemptOf('a', 2)));
    expect(runs.of('c1')?.transcripts.get('a')?.messages).toEqual([]);
    runs.push(completed(attemptOf('a', 2)));
    expect(runs.of('c1')?.transcripts.size).toBe(0);
  });

  it('forget the calls of an earlier turn, whose ids may come again', () => {
    expect(runsAfter(turn('c1'), started(), completed(), turn('c1')).of('c1')).toBeUndefined();
    expect(runsAfter(turn('c1'), started(), finalTurn('{}')).of('c1')).toBeUndefined();
  });

  it('hold who is asked about a call of a step, and not who is asked about anything else', () => {
    const runs = runsAfter(turn('c1'), started(), askingStepTurn(a1, { x: 'caller' }), asks('r', 0, 'tool'));
    const actionOf = () => {
      const next = runs.of('c1')?.transcripts.get('a')?.next(MAX_TURNS);
      return next?.kind === 'run_tools' ? next.calls[0]?.action?.id : null;
    };
    expect([actionOf(), runs.openCalls.some(concernsOthers)]).toEqual([actionId('r', 0), true]);
    runs.forgetUndecided();
    runs.push(asks('r2', 0, 'tool_servers'));
    expect([actionOf(), runs.openCalls.some(concernsOthers)]).toEqual([undefined, true]);
  });

  it('take no notice of what is of no workflow, nor of one that the run does not have', () => {
    const stranger = { ...attemptOf('a', 1, 'c9'), workflow_id: 'gone' };
    const runs = runsAfter(turn('c1'), result('c1', 'x'), started(stranger), stepTurn(stranger, 'x'));
    expect(runs.of('c9')).toBeUndefined();
  });
});

describe('an attempt', () => {
  it('asks the model, runs its tools, responds, and asks again', () => {
    expect(nextOf()).toEqual({ kind: 'call_model' });
    const asked = stepTurn(a1, '', 't1', 't2');
    expect(nextOf(asked, stepResult(a1, 't2', 'x'))).toMatchObject({
      kind: 'run_tools',
      calls: [{ call: { id: 't1' } }],
    });
    const ran = [asked, stepResult(a1, 't2', 'x'), stepResult(a1, 't1', 'y')];
    expect(nextOf(...ran)).toMatchObject({
      kind: 'respond',
      responses: [{ call: { id: 't1' } }, { call: { id: 't2' } }],
    });
    expect(nextOf(...ran, ...stepResponse(a1, 't1', '{}'))).toMatchObject({
      kind: 'respond',
      responses: [{ call: { id: 't2' } }],
    });
  });

  it('is finished with the text of a turn without calls', () => {
    expect(nextOf(stepTurn(a1, 'done'))).toEqual({ kind: 'finished', text: 'done' });
  });

  it('has a count of turns of its own', () => {
    const round = [stepTurn(a1, '', 't1'), stepResult(a1, 't1', 'x'), ...stepResponse(a1, 't1', '{}')];
    expect(nextOf(...round, ...round)).toEqual({ kind: 'call_model' });
    expect(nextOf(...round, ...round, ...round)).toEqual({ kind: 'too_many_turns' });
    expect(nextOf(...round, ...round, stepTurn(a1, 'done'))).toEqual({ kind: 'finished', text: 'done' });
  });

  it('tells the model of a call without a result that nobody knows its outcome', () => {
    const transcript = new AttemptTranscript();
    transcript.push(stepTurn(a1, '', 't1'));
    expect(transcript.messages.at(-1)).toEqual({ role: 'tool', callId: 't1', content: OUTCOME_UNKNOWN });
  });
});
