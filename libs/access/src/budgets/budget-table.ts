import { type Budget, type BudgetEvent, type BudgetId, type Payer, budgetName } from '#domain';
import type { Position, RecordedEvent } from '#event-log';

/**
 * The budgets that there are, as the events of their streams say. Owns up to where on the log each is known: what this process
 * has written may be acknowledged when it has heard already of what others wrote behind it.
 */
export class BudgetTable {
  private readonly byName = new Map<string, Budget>();
  private readonly knownTo = new Map<string, Position>();

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

  set(budget: Budget, position: Position): void {
    if (this.isNews(budget, position)) this.byName.set(budgetName(budget), budget);
  }

  remove(of: BudgetId, position: Position): void {
    if (this.isNews(of, position)) this.byName.delete(budgetName(of));
  }

  /** False: the event says nothing that is known here. */
  apply({ type, data, position, meta: { project } }: RecordedEvent): boolean {
    if (type === 'budget_set') {
      const budget = data as Extract<BudgetEvent, { type: 'budget_set' }>['data'];
      this.set({ ...budget, project }, position);
      return true;
    }
    if (type !== 'budget_removed') return false;
    this.remove(data as BudgetId, position);
    return true;
  }

  private isNews(of: BudgetId, position: Position): boolean {
    const name = budgetName(of);
    if (position < (this.knownTo.get(name) ?? 0)) return false;
    this.knownTo.set(name, position);
    return true;
  }
}
