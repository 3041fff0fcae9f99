import { Budgets, type BudgetsPorts, Spending } from '#access';
import { type HoldingLimit, type Payer, type PriceList, SpendingLimits } from '#agent';
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

/** The budgets, as runs that are driven see them. */
class LimitsOfBudgets extends SpendingLimits {
  constructor(private readonly budgets: Budgets) {
    super();
  }

  override holding(payer: Payer, signal?: AbortSignal): Promise<HoldingLimit | null> {
    return this.budgets.holding(payer, signal);
  }

  override spent(payer: Payer, event: object): void {
    this.budgets.spent(payer, event);
  }
}

export interface OpenBudgets {
  readonly budgets: Budgets;
  readonly limits: SpendingLimits;
}

/** What keys and projects may spend. @throws LogUnavailable */
export async function openBudgets(
  ports: Omit<BudgetsPorts, 'spending'> & { readonly prices: PriceList },
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<OpenBudgets> {
  const budgets = new Budgets({ ...ports, spending: new SpendingOfTables(readModels) });
  await budgets.start(signal);
  return { budgets, limits: new LimitsOfBudgets(budgets) };
}
