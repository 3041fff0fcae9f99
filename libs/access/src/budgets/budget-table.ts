import { type Budget, type BudgetEvent, type BudgetId, budgetName } from '#domain';
import type { RecordedEvent } from '#event-log';

/** The budgets that there are, as the events of their streams say. */
export class BudgetTable {
  private readonly byName = new Map<string, Budget>();

  get(of: BudgetId): Budget | null {
    return this.byName.get(budgetName(of)) ?? null;
  }

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  /** In the order of their names. */
  all(): readonly Budget[] {
    return [...this.byName.values()].sort((a, b) => (budgetName(a) < budgetName(b) ? -1 : 1));
  }

  set(budget: Budget): void {
    this.byName.set(budgetName(budget), budget);
  }

  remove(of: BudgetId): void {
    this.byName.delete(budgetName(of));
  }

  /** False: the event says nothing that is known here. */
  apply({ type, data, meta: { project } }: RecordedEvent): boolean {
    if (type === 'budget_set') {
      this.set({ ...(data as Extract<BudgetEvent, { type: 'budget_set' }>['data']), project });
      return true;
    }
    if (type !== 'budget_removed') return false;
    this.remove(data as BudgetId);
    return true;
  }
}
