import type { FieldError, Workflow, WorkflowStep } from '#domain/browser';

export const MAX_WORKFLOWS = 50;
export const MAX_WORKFLOW_STEPS = 200;
/** Ids stand in events and in the definition of a tool: characters. */
export const MAX_WORKFLOW_ID = 200;

/** What is wrong with the graphs of a request's workflows; their fields are taken as well-formed. */
export function validateWorkflows(workflows: readonly Workflow[], path = 'workflows'): FieldError[] {
  const errors: FieldError[] = [];
  if (workflows.length > MAX_WORKFLOWS)
    errors.push({ path, message: `must have at most ${MAX_WORKFLOWS} items` });
  errors.push(...wrongIds(workflows, path, 'workflow'));
  for (const [i, workflow] of workflows.entries()) errors.push(...wrongGraph(workflow, `${path}[${i}]`));
  return errors;
}

function wrongGraph({ steps }: Workflow, path: string): FieldError[] {
  const at = `${path}.steps`;
  if (steps.length > MAX_WORKFLOW_STEPS)
    return [{ path: at, message: `must have at most ${MAX_WORKFLOW_STEPS} items` }];
  const errors = [...wrongIds(steps, at, 'step'), ...wrongDependencies(steps, at)];
  if (errors.length > 0) return errors;
  const cycle = cycleOf(steps);
  return cycle === null ? [] : [cycleError(steps, cycle, at)];
}

function wrongIds(items: readonly { readonly id: string }[], path: string, noun: string): FieldError[] {
  const errors: FieldError[] = [];
  const first = new Map<string, number>();
  for (const [i, { id }] of items.entries()) {
    const at = `${path}[${i}].id`;
    if (id.length > MAX_WORKFLOW_ID)
      errors.push({ path: at, message: `must have at most ${MAX_WORKFLOW_ID} characters` });
    const before = first.get(id);
    if (before === undefined) first.set(id, i);
    else
      errors.push({
        path: at,
        message: `is the id of ${path}[${before}], too: each ${noun} needs its own`,
      });
  }
  return errors;
}

function wrongDependencies(steps: readonly WorkflowStep[], path: string): FieldError[] {
  const ids = new Set(steps.map((step) => step.id));
  return steps.flatMap((step, i) =>
    step.depends_on.flatMap((id, j): FieldError[] => {
      const at = `${path}[${i}].depends_on[${j}]`;
      if (!ids.has(id)) return [{ path: at, message: `no step has the id ${shown(id)}` }];
      if (step.depends_on.indexOf(id) < j) return [{ path: at, message: 'is named twice' }];
      return [];
    }),
  );
}

/** The path leads to the dependency that closes the circle. */
function cycleError(steps: readonly WorkflowStep[], cycle: readonly string[], path: string): FieldError {
  const last = steps.findIndex((step) => step.id === cycle.at(-2));
  const edge = steps[last]?.depends_on.indexOf(cycle.at(-1) ?? '') ?? 0;
  return {
    path: `${path}[${last}].depends_on[${edge}]`,
    message: `the steps depend on each other in a circle: ${cycle.map(shown).join(' → ')}`,
  };
}

/** Steps that depend on each other in a circle, each on the one behind it, the first again at the end; null: none do. */
export function cycleOf(steps: readonly WorkflowStep[]): readonly string[] | null {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  for (const { id } of steps) {
    if (done.has(id)) continue;
    const cycle = cycleFrom(id, byId, done);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** Depth first with a stack of its own: a chain may be longer than the call stack is deep. */
function cycleFrom(
  start: string,
  byId: ReadonlyMap<string, WorkflowStep>,
  done: Set<string>,
): readonly string[] | null {
  const path = [{ id: start, next: 0 }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const dependency = byId.get(top.id)?.depends_on[top.next++];
    if (dependency === undefined) {
      path.pop();
      onPath.delete(top.id);
      done.add(top.id);
    } else if (onPath.has(dependency)) {
      const ids = path.map(({ id }) => id);
      return [...ids.slice(ids.indexOf(dependency)), dependency];
    } else if (!done.has(dependency)) {
      path.push({ id: dependency, next: 0 });
      onPath.add(dependency);
    }
  }
  return null;
}

const shown = (id: string): string => (id.length > 60 ? `${id.slice(0, 59)}…` : id);
