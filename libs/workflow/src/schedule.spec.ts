import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Plan, Playing } from '../../../test/support/workflow-playing.js';
import { pushAll, stepOf, stepsOf, workflowOf } from '../../../test/support/workflows.js';
import type { Draft, WorkflowStep } from '#domain';
import { nextSteps } from './next-steps.js';
import { resultOf } from './workflow-result.js';
import { WorkflowState } from './workflow-state.js';

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
