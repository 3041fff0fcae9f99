import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { type Act, answer, settled, WorkflowFixture } from '../../../../test/support/workflow-fixture.js';
import { stepOf } from '../../../../test/support/workflows.js';
import { TurnFailed } from '../model/model-turn.js';
import { AttemptFailed, PARALLEL_STEPS } from './workflow-runner.js';

describe('a workflow that is carried out', () => {
  it('really runs independent steps at the same time, and a step when all that it needs is there', async () => {
    const gates = { a: new Gate(), b: new Gate() };
    const fixture = new WorkflowFixture(
      [stepOf('a'), stepOf('b'), stepOf('c', ['a', 'b'])],
      async ({ ref: { step_id } }) => {
        if (step_id !== 'c') await gates[step_id as 'a' | 'b'].arrive();
        return step_id;
      },
    );
    const ended = fixture.result();
    await Promise.all([gates.a.reached, gates.b.reached]);
    expect(fixture.asked).toEqual(['a 1', 'b 1']);
    gates.b.open();
    await settled();
    gates.a.open();
    await expect(ended).resolves.toEqual(['a completed', 'b completed', 'c completed']);
    expect(fixture.lines.filter((line) => line.startsWith('+'))).toEqual([
      '+ started a 1',
      '+ started b 1',
      '+ completed b 1',
      '+ completed a 1',
      '+ started c 1',
      '+ completed c 1',
    ]);
  });

  it('starts nothing because of an output before the log has it', async () => {
    const gate = new Gate();
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b', ['a'])]);
    fixture.beforeAppend = async (drafts) => {
      if (drafts.some((d) => d.type === 'workflow_step_completed' && d.data.step_id === 'a'))
        await gate.arrive();
    };
    const ended = fixture.result();
    await gate.reached;
    for (let i = 0; i < 20; i++) await settled();
    expect(fixture.asked).toEqual(['a 1']);
    gate.open();
    await expect(ended).resolves.toEqual(['a completed', 'b completed']);
  });

  it('asks for nothing before the log has the start of the attempt', async () => {
    const gate = new Gate();
    const fixture = new WorkflowFixture([stepOf('a')]);
    fixture.beforeAppend = () => gate.arrive();
    const ended = fixture.result();
    await gate.reached;
    await settled();
    expect(fixture.asked).toEqual([]);
    gate.open();
    await ended;
  });

  it('has at most eight attempts under way', async () => {
    let busy = 0;
    let most = 0;
    const steps = Array.from({ length: 30 }, (_, i) => stepOf(`s${i}`));
    const fixture = new WorkflowFixture(steps, async () => {
      most = Math.max(most, ++busy);
      await settled();
      busy--;
      return 'x';
    });
    await fixture.run();
    expect([most, fixture.asked.length]).toEqual([PARALLEL_STEPS, 30]);
  });

  it('gives each step the input and the outputs that it depends on, before its description', async () => {
    const large = 'x'.repeat(300_000);
    const steps = [stepOf('a'), stepOf('b'), stepOf('c', ['b', 'a'])];
    const fixture = new WorkflowFixture(
      steps,
      (r, signal) => (r.ref.step_id === 'b' ? Promise.resolve(large) : answer(r, signal)),
      {
        input: 'the task',
      },
    );
    const { content } = await fixture.run();
    expect(fixture.messages[0]).toBe(
      'You carry out one step of the workflow "Work" (what there is to do). ' +
        'Your answer is the output of the step: give nothing else.\n\n' +
        'Input of the workflow:\nthe task\n\nThe step "Step a":\ndo a',
    );
    expect(fixture.messages[2]?.split('\n\n').slice(2)).toEqual([
      `Output of step "b":\n${large}`,
      'Output of step "a":\noutput of a',
      'The step "Step c":\ndo c',
    ]);
    expect(JSON.parse(content)).toEqual({
      workflow_id: 'w',
      status: 'completed',
      steps: [
        { id: 'a', status: 'completed', output: 'output of a' },
        { id: 'b', status: 'completed', output: large },
        { id: 'c', status: 'completed', output: 'output of c' },
      ],
    });
  });
});

describe('an attempt that fails', () => {
  const thrice = {
    retry_policy: { max_attempts: 3, backoff: 'exponential', initial_delay_ms: 300 },
  } as const;

  it('is followed by another after the wait, which is told why', async () => {
    const output_schema = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
    const texts = ['{}', '{"n":"1"}', '{"n":1}'];
    const fixture = new WorkflowFixture([stepOf('a', [], { ...thrice, output_schema })], () =>
      Promise.resolve(texts.shift() ?? ''),
    );
    const ended = fixture.result();
    expect(await fixture.clock.timerWithin(10_000)).toBe(300);
    fixture.clock.advance(300);
    await fixture.clock.timerWithin(10_000);
    expect(await fixture.clock.pass(10_000)).toBe(600);
    await expect(ended).resolves.toEqual(['a completed']);
    expect(fixture.asked).toEqual(['a 1', 'a 2', 'a 3']);
    expect(fixture.messages[0]).toContain(`matches this schema:\n${JSON.stringify(output_schema)}`);
    expect(fixture.messages[1]).toContain("- the value must have required property 'n'");
    expect(fixture.messages[2]).toContain('- /n must be number');
    expect(fixture.lines).toEqual([
      'started a 1',
      '+ started a 1',
      'failed a 1',
      'started a 2',
      '+ started a 2',
      'failed a 2',
      'started a 3',
      '+ started a 3',
      'completed a 3',
      '+ completed a 3',
    ]);
  });

  it.each([
    ['a model that fails', new TurnFailed('model_unavailable', 'no model', true, null)],
    ['an attempt of too many turns', new AttemptFailed('not done after 5 turns')],
  ])('may be %s', async (_, error) => {
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b', ['a'])], () => Promise.reject(error));
    const outcome = await fixture.run();
    expect(outcome.isError).toBe(true);
    expect(JSON.parse(outcome.content)).toMatchObject({
      status: 'failed',
      steps: [
        { id: 'a', status: 'failed', errors: [error.message] },
        { id: 'b', status: 'skipped' },
      ],
    });
  });

  it('lets the others finish, and starts none, when it was the last', async () => {
    const gate = new Gate();
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b'), stepOf('c', ['b'])], async ({ ref }) => {
      if (ref.step_id === 'a') throw new AttemptFailed('no');
      await gate.arrive();
      return 'x';
    });
    const ended = fixture.result();
    while (!fixture.lines.includes('+ failed a 1')) await settled();
    gate.open();
    await expect(ended).resolves.toEqual(['a failed', 'b completed', 'c skipped']);
    expect(fixture.asked).toEqual(['a 1', 'b 1']);
  });

  it('for a reason of our own ends the call, and the other attempts with it', async () => {
    let reason: unknown;
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b')], ({ ref }, signal) => {
      if (ref.step_id === 'a') return Promise.reject(new TypeError('a bug'));
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(signal.reason as Error);
        });
      });
    });
    await expect(fixture.run()).rejects.toThrow('a bug');
    expect(reason).toEqual(new Error('the workflow is over'));
    expect(fixture.lines.at(-1)).toBe('+ started b 1');
  });
});

describe('a workflow that is cancelled', () => {
  const hang: Act = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  it('stops its attempts, records nothing more, and leaves none behind', async () => {
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b'), stepOf('c', ['a'])], hang);
    const ended = fixture.run();
    while (fixture.asked.length < 2) await settled();
    const before = fixture.log.length;
    fixture.controller.abort(new Error('cancelled'));
    await expect(ended).rejects.toThrow('cancelled');
    await settled();
    expect(fixture.log).toHaveLength(before);
  });

  it('is over when its attempts are', async () => {
    let open = 0;
    const fixture = new WorkflowFixture([stepOf('a'), stepOf('b')], async (request, signal) => {
      open++;
      try {
        return await hang(request, signal);
      } finally {
        for (let i = 0; i < 5; i++) await settled();
        open--;
      }
    });
    const ended = fixture.run();
    while (fixture.asked.length < 2) await settled();
    fixture.controller.abort(new Error('cancelled'));
    await expect(ended).rejects.toThrow('cancelled');
    expect(open).toBe(0);
  });

  it('does not wait for the next attempt', async () => {
    const retry_policy = { max_attempts: 2, backoff: 'fixed' } as const;
    const fixture = new WorkflowFixture([stepOf('a', [], { retry_policy })], () =>
      Promise.reject(new AttemptFailed('no')),
    );
    const ended = fixture.run();
    await fixture.clock.timerWithin(10_000);
    fixture.controller.abort(new Error('cancelled'));
    await expect(ended).rejects.toThrow('cancelled');
    expect(fixture.clock.pending).toEqual([]);
  });
});

describe('a workflow that a crash cut off', () => {
  const retry_policy = { max_attempts: 2, backoff: 'fixed' } as const;
  const steps = [
    stepOf('a'),
    stepOf('b', [], { retry_policy }),
    stepOf('c', ['a', 'b']),
    stepOf('o', [], { optional: true }),
    stepOf('p', ['o']),
  ];
  const act: Act = (request, signal) => {
    const { step_id, attempt } = request.ref;
    if (step_id === 'o' || (step_id === 'b' && attempt === 1)) throw new AttemptFailed('no');
    return answer(request, signal);
  };
  it('goes on at every event: no completed step and no finished attempt is repeated', async () => {
    const whole = new WorkflowFixture(steps, act);
    const result = await whole.toEnd();
    expect(result).toEqual(['a completed', 'b completed', 'c completed', 'o skipped', 'p skipped']);
    for (let at = 0; at <= whole.log.length; at++) {
      // What is recorded together is appended together.
      if (whole.log[at]?.type === 'agent_workflow_step') continue;
      const log = whole.log.slice(0, at);
      const rest = new WorkflowFixture(steps, act, { log });
      await expect(rest.toEnd()).resolves.toEqual(result);
      expect(rest.lines.toSorted()).toEqual(whole.lines.toSorted());
      const over = log.flatMap((d) =>
        d.type === 'model_turn_completed' && d.data.step
          ? [`${d.data.step.step_id} ${d.data.attempt}`]
          : d.type === 'workflow_attempt_failed'
            ? [`${d.data.step_id} ${d.data.attempt}`]
            : [],
      );
      expect(rest.asked.filter((asked) => over.includes(asked))).toEqual([]);
    }
  });

  it('waits on for the time that the log names', async () => {
    const first = new WorkflowFixture([stepOf('b', [], { retry_policy })], act);
    const left = first.run();
    await first.clock.timerWithin(10_000);
    first.clock.advance(400);
    const second = new WorkflowFixture([stepOf('b', [], { retry_policy })], act, {
      log: first.log,
      clock: new ManualClock(first.clock.now()),
    });
    const ended = second.result();
    expect(await second.clock.pass(10_000)).toBe(600);
    await expect(ended).resolves.toEqual(['b completed']);
    expect(second.asked).toEqual(['b 2']);
    expect(second.messages[0]).toContain('- no');
    first.controller.abort(new Error('crash'));
    await expect(left).rejects.toThrow('crash');
  });
});
