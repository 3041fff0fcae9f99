import type { HoldingLimit, Payer } from '#domain';

/** Port: the budgets that a run shares with others. Its own is its own affair. */
export abstract class SpendingLimits {
  /** The first that is reached; null: none is, or there are none. Resolves when that is known. */
  abstract holding(payer: Payer, signal?: AbortSignal): Promise<HoldingLimit | null>;

  /** A call has ended: what it cost counts from here on. `event` is its event's data, which the log may hold later. */
  abstract spent(payer: Payer, event: object): void;
}

/** There are none. */
export const UNLIMITED: SpendingLimits = new (class extends SpendingLimits {
  override holding(): Promise<null> {
    return Promise.resolve(null);
  }
  override spent(): void {}
})();

/** The model is not asked before a limit is raised. */
export class BudgetReached extends Error {
  override readonly name = 'BudgetReached';
  constructor(readonly holding: HoldingLimit) {
    super('the budget is spent');
  }
}
