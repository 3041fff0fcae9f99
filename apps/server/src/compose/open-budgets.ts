import { Budgets, type BudgetsPorts, Spending } from '#access';
import type { PriceList } from '#agent';
import type { BudgetId, ProjectId } from '#domain';
import type { ReadModels } from '#read-models';

class SpendingOfTables extends Spending {
  private knowsPredecessors = false;

  constructor(private readonly readModels: Pick<ReadModels, 'usage' | 'caughtUp'>) {
    super();
  }

  override async sum({ scope, id, project }: BudgetId & { readonly project: ProjectId }, from: number) {
    // What a process before this one spent last may be on the log only.
    if (!this.knowsPredecessors) await this.readModels.caughtUp();
    const sum = await this.readModels.usage.spent({ project, from, ...(scope === 'key' ? { key: id } : {}) });
    this.knowsPredecessors = true;
    return sum;
  }
}

/** What keys and projects may spend. @throws LogUnavailable */
export async function openBudgets(
  ports: Omit<BudgetsPorts, 'spending'> & { readonly prices: PriceList },
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<Budgets> {
  const budgets = new Budgets({ ...ports, spending: new SpendingOfTables(readModels) });
  await budgets.start(signal);
  return budgets;
}
