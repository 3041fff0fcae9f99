import type { BudgetId, PicoDollars, ProjectId } from '#domain';
import type { Position } from '#event-log';

/** Port: what the calls of a key or a project cost, as far as tables know it. */
export abstract class Spending {
  /** Of calls from `from` on (ms since 1970), up to a position of the log. @throws what an outage is */
  abstract sum(
    of: BudgetId & { readonly project: ProjectId },
    from: number,
  ): Promise<{ readonly spent: PicoDollars; readonly upTo: Position }>;
}
