import type { WorkflowStep } from '#domain/browser';

/** Where the steps of a workflow stand: a column for each that comes after another. */
export interface PlacedStep {
  readonly id: string;
  readonly column: number;
  readonly row: number;
}

/** A step stands one column behind the last of those that it needs; in a column they stand in the order given. */
export function placeSteps(steps: readonly Pick<WorkflowStep, 'id' | 'depends_on'>[]): readonly PlacedStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const columns = new Map<string, number>();
  const columnOf = (id: string, seen: ReadonlySet<string>): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    const before = (byId.get(id)?.depends_on ?? []).filter((other) => byId.has(other) && !seen.has(other));
    const column = Math.max(-1, ...before.map((other) => columnOf(other, new Set([...seen, id])))) + 1;
    columns.set(id, column);
    return column;
  };
  const rows = new Map<number, number>();
  return steps.map(({ id }) => {
    const column = columnOf(id, new Set());
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { id, column, row };
  });
}
