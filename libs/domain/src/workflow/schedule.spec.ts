import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pushAll, stepOf, stepsOf, workflowOf } from '../../../../test/support/workflows.js';
import type { Draft } from '../session-commands.js';
import { completeStep, failAttempt, startAttempt } from './decide-steps.js';
import { nextSteps } from './next-steps.js';
import type { Workflow, WorkflowStep } from './workflow.js';
import { resultOf } from './workflow-result.js';
import { WorkflowState } from './workflow-state.js';

/** A random graph; each step fails so many of its attempts before one is good. */
interface Plan {
  readonly workflow: Workflow;
  readonly failures: ReadonlyMap<string, number>;
  readonly bound: number;
  /** Which of the running attempts ends next, over and over. */
  readonly order: readonly number[];
}

const anyStep = fc.record({
  after: fc.array(fc.nat(200), { maxLength: 4 }),
  optional: fc.boolean(),
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom('none', 'fixed', 'linear', 'exponential'),
  failures: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

const anyPlan: fc.Arbitrary<Plan> = fc
  .record({
    steps: fc.array(anyStep, { minLength: 1, maxLength: 25 }),
    bound: fc.integer({ min: 1, max: 6 }),
    order: fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }),
  })
  .map(({ steps, bound, order }) => ({
    workflow: workflowOf(
      ...steps.map(({ after, optional, attempts, backoff }, i): WorkflowStep => {
        const before = i === 0 ? [] : [...new Set(after.map((a) => `s${a % i}`))];
        return stepOf(`s${i}`, before, { optional, retry_policy: { max_attempts: attempts, backoff } });
      }),
    ),
    failures: new Map(steps.map((step, i) => [`s${i}`, step.failures])),
    bound,
    order,
  }));

/** Plays a plan to its end; `watch` sees the state before each decision, and each append as it is made. */
class Playing {
  now = 1_000_000;
  readonly appends: (readonly Draft[])[] = [];
  private picked = 0;

  constructor(
    readonly plan: Plan,
    public state = new WorkflowState(plan.workflow),
  ) {}

  toEnd(watch: (playing: Playing) => void = () => {}): this {
    for (;;) {
      watch(this);
      const { start, waitUntil, isDone } = nextSteps(this.state, this.now, this.plan.bound);
      for (const { step, attempt } of start) this.append(startAttempt(this.state, this.ref(step, attempt)));
      if (isDone) return this;
      if (start.length > 0) continue;
      if (this.state.runningSteps.size > 0) this.endOne();
      else this.now = waitUntil ?? this.now;
    }
  }

  private endOne(): void {
    const running = [...this.state.runningSteps];
    const turn = this.plan.order[this.picked++ % this.plan.order.length] ?? 0;
    const id = running[turn % running.length] ?? '';
    const step = this.state.step(id);
    const attempt = step.status === 'running' ? step.attempt : 0;
    const ref = this.ref(id, attempt);
    const fails = attempt <= (this.plan.failures.get(id) ?? 0);
    this.append(
      fails ? failAttempt(this.state, ref, ['broke'], this.now) : completeStep(this.state, ref, id),
    );
  }

  private append(drafts: readonly Draft[]): void {
    this.appends.push(drafts);
  }

  private ref(step_id: string, attempt: number) {
    return { call_id: 'c1', workflow_id: 'w', step_id, attempt };
  }
}

const check = (property: fc.IRawProperty<[Plan]>): void =>
  fc.assert(property as fc.IProperty<[Plan]>, { numRuns: 400 });

describe('any workflow, whatever fails and in whatever order steps end', () => {
  it('never starts a step before all that it depends on is completed', () => {
    check(
      fc.property(anyPlan, (plan) => {
        new Playing(plan).toEnd(({ state }) => {
          for (const { id, depends_on } of plan.workflow.steps) {
            const has = ['pending', 'skipped'].includes(state.step(id).status);
            if (!has) expect(depends_on.map((d) => state.step(d).status)).not.toContain('pending');
            if (!has) for (const d of depends_on) expect(state.step(d).status).toBe('completed');
          }
        });
      }),
    );
  });

  it('has as many attempts under way as it can, and never more than the bound', () => {
    check(
      fc.property(anyPlan, (plan) => {
        new Playing(plan).toEnd(({ state, now }) => {
          const { start } = nextSteps(state, now, plan.bound);
          const busy = state.runningSteps.size + start.length;
          expect(busy).toBeLessThanOrEqual(plan.bound);
          const free = plan.workflow.steps.filter(
            ({ id, depends_on }) =>
              state.step(id).status === 'pending' &&
              state.failedStep === null &&
              depends_on.every((d) => state.step(d).status === 'completed'),
          );
          const due = state.waitingSteps.until(now, 1000);
          expect(busy).toBe(Math.min(plan.bound, state.runningSteps.size + free.length + due.length));
        });
      }),
    );
  });

  it('ends each step exactly once, after as many attempts as it needed or may have', () => {
    check(
      fc.property(anyPlan, (plan) => {
        const { state, appends } = new Playing(plan).toEnd();
        const events = appends.flat().flatMap((d) => (d.type === 'agent_workflow_step' ? [d.data] : []));
        for (const { id, retry_policy } of plan.workflow.steps) {
          const own = events.filter((e) => e.step_id === id);
          const ends = own.filter((e) => e.status !== 'started');
          expect(ends.map((e) => e.status)).toEqual([state.step(id).status]);
          const tries = Math.min((plan.failures.get(id) ?? 0) + 1, retry_policy?.max_attempts ?? 1);
          const started = own.filter((e) => e.status === 'started').map((e) => Number(e.attempt));
          expect(started).toEqual(started.length === 0 ? [] : Array.from({ length: tries }, (_, i) => i + 1));
          expect(own.at(-1)?.attempt).toBe(String(started.length));
        }
        expect(resultOf(state).status).toBe(state.failedStep === null ? 'completed' : 'failed');
      }),
    );
  });

  it('goes on from any append as if nothing had happened, and repeats nothing', () => {
    check(
      fc.property(anyPlan, (plan) => {
        const whole = new Playing(plan).toEnd();
        const crashes = whole.appends.length;
        for (let at = 0; at <= crashes; at += 1 + Math.floor(crashes / 10)) {
          const before = whole.appends.slice(0, at).flat();
          const folded = pushAll(new WorkflowState(plan.workflow), before);
          const rest = new Playing(plan, folded).toEnd();
          const key = ({ type, data }: Draft) => JSON.stringify([type, 'step_id' in data && data.step_id]);
          const log = [...before, ...rest.appends.flat()];
          const completed = log.filter((d) => d.type === 'workflow_step_completed').map(key);
          expect(new Set(completed).size).toBe(completed.length);
          const attempts = log.flatMap((d) =>
            d.type === 'workflow_attempt_started' ? [`${d.data.step_id} ${d.data.attempt}`] : [],
          );
          expect(new Set(attempts).size).toBe(attempts.length);
          const refolded = pushAll(new WorkflowState(plan.workflow), log);
          expect(stepsOf(refolded)).toEqual(stepsOf(rest.state));
        }
      }),
    );
  });
});

describe('a workflow of 1,000 steps', () => {
  const shapes = {
    'that are all independent': (n: number) => Array.from({ length: n }, (_, i) => stepOf(`s${i}`)),
    'in a chain': (n: number) =>
      Array.from({ length: n }, (_, i) => stepOf(`s${i}`, i > 0 ? [`s${i - 1}`] : [])),
    'that meet in the last': (n: number) => [
      ...Array.from({ length: n - 1 }, (_, i) => stepOf(`s${i}`)),
      stepOf(
        'last',
        Array.from({ length: n - 1 }, (_, i) => `s${i}`),
      ),
    ],
    'that are all tried again': (n: number) =>
      Array.from({ length: n }, (_, i) =>
        stepOf(`s${i}`, [], { retry_policy: { max_attempts: 2, backoff: 'fixed' } }),
      ),
  };

  const costOf = (steps: readonly WorkflowStep[]): number => {
    const failures = new Map(steps.map((s) => [s.id, s.retry_policy ? 1 : 0]));
    const plan = { workflow: workflowOf(...steps), failures, bound: 8, order: [0, 3, 1] };
    const began = performance.now();
    new Playing(plan).toEnd();
    return performance.now() - began;
  };

  it.each(Object.entries(shapes))('%s takes no more than its share of the time', (_, shape) => {
    const [few, many] = [shape(1000), shape(8000)];
    let [fewMs, manyMs] = [Infinity, Infinity];
    // Eight times as many: linear is a factor of 8, quadratic one of 64. Whoever else runs here only adds to it, so the
    // least of several tries counts.
    for (let i = 0; i < 40 && (i < 5 || manyMs > fewMs * 24); i++) {
      fewMs = Math.min(fewMs, costOf(few));
      manyMs = Math.min(manyMs, costOf(many));
    }
    expect(manyMs).toBeLessThanOrEqual(fewMs * 24);
  });
});
