import { describe, expect, it } from '@jest/globals';
import { pushAll, stepOf, stepsOf, workflowLine, workflowOf } from '../../../test/support/workflows.js';
import type { Draft, WorkflowStep } from '#domain';
import { completeStep, failAttempt, startAttempt } from './decide-steps.js';
import { nextSteps } from './next-steps.js';
import { resultOf } from './workflow-result.js';
import { WorkflowState } from './workflow-state.js';

const NOW = 1_000_000;

/** A workflow that the test moves by hand. */
class Play {
  readonly state: WorkflowState;
  readonly drafts: Draft[] = [];

  constructor(...steps: readonly WorkflowStep[]) {
    this.state = new WorkflowState(workflowOf(...steps));
  }

  get lines(): string[] {
    return this.drafts.splice(0).map(workflowLine);
  }

  next(now = NOW, bound = 8): string[] {
    return nextSteps(this.state, now, bound).start.map((s) => `${s.step} ${s.attempt}`);
  }

  start(...steps: string[]): this {
    for (const step of steps) this.drafts.push(...startAttempt(this.state, this.ref(step)));
    return this;
  }

  end(step: string, output = `output of ${step}`): this {
    this.drafts.push(...completeStep(this.state, this.ref(step), output));
    return this;
  }

  fail(step: string, now = NOW): this {
    this.drafts.push(...failAttempt(this.state, this.ref(step), [`${step} broke`], now));
    return this;
  }

  private ref(step_id: string) {
    const now = this.state.step(step_id);
    const attempt = now.status === 'running' || now.status === 'waiting' ? now.attempt : 1;
    return { call_id: 'c1', workflow_id: 'w', step_id, attempt };
  }
}

const twice = (more: Partial<NonNullable<WorkflowStep['retry_policy']>> = {}): Partial<WorkflowStep> => ({
  retry_policy: { max_attempts: 2, backoff: 'fixed', ...more },
});

describe('a workflow', () => {
  it('starts what depends on nothing, and each other step when all that it depends on is there', () => {
    const play = new Play(stepOf('a'), stepOf('b'), stepOf('c', ['a', 'b']), stepOf('d', ['a']));
    expect(play.next()).toEqual(['a 1', 'b 1']);
    play.start('a', 'b');
    expect(play.next()).toEqual([]);
    play.end('a');
    expect(play.next()).toEqual(['d 1']);
    play.end('b');
    expect(play.next()).toEqual(['d 1', 'c 1']);
    expect(play.lines).toEqual([
      'started a 1',
      '+ started a 1',
      'started b 1',
      '+ started b 1',
      'completed a 1',
      '+ completed a 1',
      'completed b 1',
      '+ completed b 1',
    ]);
  });

  it('starts no more at once than the bound', () => {
    const play = new Play(stepOf('a'), stepOf('b'), stepOf('c'));
    expect(play.next(NOW, 2)).toEqual(['a 1', 'b 1']);
    play.start('a', 'b');
    expect(play.next(NOW, 2)).toEqual([]);
    expect(play.end('a').next(NOW, 2)).toEqual(['c 1']);
  });

  it('is done when every step has ended, and tells of each in the order of the definition', () => {
    const play = new Play(stepOf('b', ['a']), stepOf('a'));
    play.start('a').end('a').start('b');
    expect(nextSteps(play.state, NOW, 8).isDone).toBe(false);
    expect(() => resultOf(play.state)).toThrow('step b of workflow w is not done');
    play.end('b');
    expect(nextSteps(play.state, NOW, 8)).toEqual({ start: [], waitUntil: null, isDone: true });
    expect(resultOf(play.state)).toEqual({
      workflow_id: 'w',
      status: 'completed',
      steps: [
        { id: 'b', status: 'completed', output: 'output of b' },
        { id: 'a', status: 'completed', output: 'output of a' },
      ],
    });
  });

  it('without steps is done at once', () => {
    const { state } = new Play();
    expect(nextSteps(state, NOW, 8).isDone).toBe(true);
    expect(resultOf(state)).toEqual({ workflow_id: 'w', status: 'completed', steps: [] });
  });
});

describe('a step that fails', () => {
  it('is tried again after the wait of its policy, with the errors of the attempt before', () => {
    const play = new Play(stepOf('a', [], twice()));
    play.start('a').fail('a');
    expect(play.lines).toEqual(['started a 1', '+ started a 1', 'failed a 1']);
    expect(nextSteps(play.state, NOW, 8)).toEqual({ start: [], waitUntil: NOW + 1000, isDone: false });
    expect(nextSteps(play.state, NOW + 1000, 8)).toEqual({
      start: [{ step: 'a', attempt: 2, errors: ['a broke'] }],
      waitUntil: null,
      isDone: false,
    });
    play.start('a').end('a');
    expect(play.lines).toEqual(['started a 2', '+ started a 2', 'completed a 2', '+ completed a 2']);
  });

  it('goes before new steps when its time has come', () => {
    const play = new Play(stepOf('a', [], twice()), stepOf('b', [], twice()), stepOf('c'), stepOf('d'));
    play
      .start('b')
      .fail('b', NOW - 10)
      .start('a')
      .fail('a', NOW - 20);
    expect(play.next(NOW + 1000, 3)).toEqual(['a 2', 'b 2', 'c 1']);
  });

  it('waits for room, not for a time, where there is no room when its time comes', () => {
    const play = new Play(stepOf('a', [], twice()), stepOf('b'));
    play.start('a').fail('a').start('b');
    expect(nextSteps(play.state, NOW, 1)).toEqual({ start: [], waitUntil: null, isDone: false });
    expect(nextSteps(play.state, NOW, 2)).toEqual({ start: [], waitUntil: NOW + 1000, isDone: false });
    expect(play.end('b').next(NOW + 1000, 1)).toEqual(['a 2']);
  });

  it('goes in the order of the failures where times are equal', () => {
    const play = new Play(...['a', 'b', 'c'].map((id) => stepOf(id, [], twice())));
    play.start('a', 'b', 'c').fail('b').fail('c').fail('a');
    expect(play.next(NOW + 1000)).toEqual(['b 2', 'c 2', 'a 2']);
    expect(play.start('b').next(NOW + 1000)).toEqual(['c 2', 'a 2']);
  });

  it('is named as the one that failed the workflow when it was the first', () => {
    const play = new Play(stepOf('a'), stepOf('b'), stepOf('c', ['a']));
    play.start('a', 'b').fail('b').fail('a');
    expect(play.state.failedStep).toBe('b');
    expect(resultOf(play.state).steps[2]?.errors).toEqual([
      'the workflow failed at step b before it started',
    ]);
  });

  it('fails the workflow after its last attempt: what runs goes on, nothing else starts', () => {
    const play = new Play(stepOf('a'), stepOf('b', [], twice()), stepOf('c', ['b']), stepOf('d', ['a']));
    play.start('a', 'b').fail('a');
    expect(play.lines.slice(-4)).toEqual(['failed a 1', '+ failed a 1', '+ skipped c 0', '+ skipped d 0']);
    expect(play.next()).toEqual([]);
    play.fail('b');
    expect(play.next(NOW + 1000)).toEqual(['b 2']);
    play.start('b').end('b');
    expect(play.lines.at(-1)).toBe('+ completed b 2');
    expect(nextSteps(play.state, NOW, 8).isDone).toBe(true);
    expect(resultOf(play.state)).toEqual({
      workflow_id: 'w',
      status: 'failed',
      steps: [
        { id: 'a', status: 'failed', errors: ['a broke'] },
        { id: 'b', status: 'completed', output: 'output of b' },
        { id: 'c', status: 'skipped', errors: ['the workflow failed at step a before it started'] },
        { id: 'd', status: 'skipped', errors: ['the workflow failed at step a before it started'] },
      ],
    });
  });

  it('is skipped where it is optional, with all that depend on it, and the others go on', () => {
    const play = new Play(
      stepOf('a', [], { optional: true }),
      stepOf('b'),
      stepOf('c', ['a', 'b']),
      stepOf('d', ['c']),
      stepOf('e', ['b']),
    );
    play.start('a', 'b').fail('a');
    expect(play.lines.slice(-4)).toEqual(['failed a 1', '+ skipped a 1', '+ skipped c 0', '+ skipped d 0']);
    expect(play.end('b').next()).toEqual(['e 1']);
    play.start('e').end('e');
    expect(resultOf(play.state)).toMatchObject({
      status: 'completed',
      steps: [
        { id: 'a', status: 'skipped', errors: ['a broke'] },
        { id: 'b', status: 'completed' },
        { id: 'c', status: 'skipped', errors: ['its dependency a has no output'] },
        { id: 'd', status: 'skipped', errors: ['its dependency c has no output'] },
        { id: 'e', status: 'completed' },
      ],
    });
  });

  it('tells of at most 20 errors of 500 characters', () => {
    const state = new WorkflowState(workflowOf(stepOf('a')));
    const ref = { call_id: 'c1', workflow_id: 'w', step_id: 'a', attempt: 1 };
    const [event] = failAttempt(state, ref, Array(30).fill('x'.repeat(900)) as string[], NOW);
    const errors = event?.type === 'workflow_attempt_failed' ? event.data.errors : [];
    expect([errors.length, errors[0]?.length]).toEqual([20, 500]);
  });
});

describe('an event that comes twice', () => {
  it('changes nothing', () => {
    const more = twice({ max_attempts: 3 });
    const steps = [stepOf('a', [], more), stepOf('b', ['a'], { optional: true }), stepOf('c', ['b'])];
    const play = new Play(...steps);
    play.start('a').fail('a').start('a').fail('a').start('a').end('a').start('b').fail('b');
    const repeated = new WorkflowState(workflowOf(...steps));
    for (const [i, draft] of play.drafts.entries()) {
      pushAll(repeated, [draft]);
      const once = stepsOf(repeated);
      for (const earlier of play.drafts.slice(0, i + 1)) {
        pushAll(repeated, [earlier]);
        expect(stepsOf(repeated)).toEqual(once);
      }
      expect(nextSteps(repeated, NOW, 8).start.length).toBeLessThanOrEqual(1);
    }
    expect(stepsOf(repeated)).toEqual(stepsOf(play.state));
  });

  it('of a step that is not there is a bug, said aloud', () => {
    const state = new WorkflowState(workflowOf(stepOf('a')));
    expect(() => state.step('x')).toThrow('workflow w has no step x');
    expect(() => state.definition('x')).toThrow('workflow w has no step x');
  });
});
