import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlockCounter } from '../../../test/support/block-counter.js';
import { Playing } from '../../../test/support/workflow-playing.js';
import { stepOf, workflowOf } from '../../../test/support/workflows.js';
import type { WorkflowStep } from '#domain';

describe('a workflow of 1,000 steps', () => {
  let counter: BlockCounter;
  beforeAll(async () => {
    counter = await BlockCounter.open('libs/workflow/src/');
  });
  afterAll(() => counter.close());

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

  const costOf = (steps: readonly WorkflowStep[]): Promise<number> => {
    const failures = new Map(steps.map((s) => [s.id, s.retry_policy ? 1 : 0]));
    const plan = { workflow: workflowOf(...steps), failures, bound: 8, order: [0, 3, 1] };
    return counter.count(() => void new Playing(plan).toEnd());
  };

  it.each(Object.entries(shapes))('%s takes no more than its share of the work', async (_, shape) => {
    const few = await costOf(shape(1000));
    expect(few).toBeGreaterThan(1000);
    // Eight times as many: linear is a factor of 8, quadratic one of 64.
    expect(await costOf(shape(8000))).toBeLessThan(few * 12);
  });
});
