import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stepOf, workflowOf } from '../../../test/support/workflows.js';
import { MAX_WORKFLOW_ID, cycleOf, validateWorkflows } from './validate-workflows.js';

const graph = (edges: Record<string, readonly string[]>) =>
  workflowOf(...Object.entries(edges).map(([id, after]) => stepOf(id, after)));

describe('workflows', () => {
  it('may be any graph without a circle, or no graph at all', () => {
    const diamond = graph({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] });
    expect(validateWorkflows([diamond, { ...graph({ a: [] }), id: 'other' }])).toEqual([]);
    expect(validateWorkflows([graph({})])).toEqual([]);
    expect(validateWorkflows([])).toEqual([]);
  });

  it.each([
    [
      'two of the same id',
      [graph({ a: [] }), graph({ a: [] })],
      'workflows[1].id',
      'is the id of workflows[0], too: each workflow needs its own',
    ],
    [
      'two steps of the same id',
      [workflowOf(stepOf('a'), stepOf('b'), stepOf('a'))],
      'workflows[0].steps[2].id',
      'is the id of workflows[0].steps[0], too: each step needs its own',
    ],
    [
      'an unknown dependency',
      [graph({ a: [], b: ['a', 'x'] })],
      'workflows[0].steps[1].depends_on[1]',
      'no step has the id x',
    ],
    [
      'a dependency that is named twice',
      [graph({ a: [], b: ['a', 'a'] })],
      'workflows[0].steps[1].depends_on[1]',
      'is named twice',
    ],
    [
      'a circle of two',
      [graph({ a: ['b'], b: ['a'] })],
      'workflows[0].steps[1].depends_on[0]',
      'the steps depend on each other in a circle: a → b → a',
    ],
    [
      'a step that depends on itself',
      [graph({ x: [], a: ['x', 'a'] })],
      'workflows[0].steps[1].depends_on[1]',
      'the steps depend on each other in a circle: a → a',
    ],
    [
      'a circle that steps outside of it lead to',
      [graph({ x: ['a'], a: ['c'], b: ['a'], c: ['x', 'b'], y: [] })],
      'workflows[0].steps[3].depends_on[0]',
      'the steps depend on each other in a circle: x → a → c → x',
    ],
    [
      'too many steps',
      [graph(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`s${i}`, []])))],
      'workflows[0].steps',
      'must have at most 200 items',
    ],
    [
      'an id that is too long',
      [graph({ ['x'.repeat(MAX_WORKFLOW_ID + 1)]: [] })],
      'workflows[0].steps[0].id',
      'must have at most 200 characters',
    ],
  ])('are refused with %s', (_, workflows, path, message) => {
    expect(validateWorkflows(workflows)).toEqual([{ path, message }]);
  });

  it('are refused when there are too many', () => {
    const many = Array.from({ length: 51 }, (_, i) => ({ ...graph({ a: [] }), id: `w${i}` }));
    expect(validateWorkflows(many)).toEqual([{ path: 'workflows', message: 'must have at most 50 items' }]);
  });

  it('get every fault named, not only the first', () => {
    const wrong = [graph({ a: ['x'], b: ['y'] }), { ...graph({ a: ['a'] }), id: 'w2' }];
    expect(validateWorkflows(wrong).map((e) => e.path)).toEqual([
      'workflows[0].steps[0].depends_on[0]',
      'workflows[0].steps[1].depends_on[0]',
      'workflows[1].steps[0].depends_on[0]',
    ]);
  });
});

describe('a circle', () => {
  const anyGraph = fc
    .integer({ min: 1, max: 12 })
    .chain((n) => fc.array(fc.uniqueArray(fc.nat(n - 1)), { minLength: n, maxLength: n }))
    .map((edges) =>
      edges.map((after, i) =>
        stepOf(
          `s${i}`,
          after.map((a) => `s${a}`),
        ),
      ),
    );

  it('is found exactly where there is one, and is one', () => {
    fc.assert(
      fc.property(anyGraph, (steps) => {
        const open = new Map(steps.map((s) => [s.id, s.depends_on]));
        for (let before = -1; before !== open.size;) {
          before = open.size;
          for (const [id, after] of open) if (!after.some((a) => open.has(a))) open.delete(id);
        }
        const cycle = cycleOf(steps);
        expect(cycle === null).toBe(open.size === 0);
        if (cycle === null) return;
        expect(cycle[0]).toBe(cycle.at(-1));
        for (const [i, id] of cycle.slice(0, -1).entries()) {
          expect(steps.find((s) => s.id === id)?.depends_on).toContain(cycle[i + 1]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is looked for in a chain that is longer than the call stack is deep', () => {
    const chain = Array.from({ length: 50_000 }, (_, i) => stepOf(`s${i}`, [`s${i + 1}`]));
    expect(cycleOf([...chain, stepOf('s50000')])).toBeNull();
    expect(cycleOf([...chain, stepOf('s50000', ['s0'])])).toHaveLength(50_002);
  });
});
