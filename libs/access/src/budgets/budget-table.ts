import { type Budget, type BudgetEvent, type BudgetId, type Payer, budgetName } from '#domain';
import type { RecordedEvent } from '#event-log';

/** The budgets that there are, as the events of their streams say. */
export class BudgetTable {
  private readonly byName = new Map<string, Budget>();

  get(of: BudgetId): Budget | null {
    return this.named(budgetName(of));
  }

  named(name: string): Budget | null {
    return this.byName.get(name) ?? null;
  }

  /** Those that count a payer's calls: the key's before the project's. */
  of({ key, project }: Omit<Payer, 'model'>): readonly Budget[] {
    const ids = [{ scope: 'key', id: key } as const, { scope: 'project', id: project } as const];
    return ids.map((id) => this.get(id)).filter((budget) => budget !== null);
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
