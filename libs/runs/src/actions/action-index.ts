import type { ActionId, ProjectId, Revision } from '#domain';

/** Where actions are looked up. It may be late and may name too many; the log decides. */
export abstract class ActionIndex {
  /** Revision of the action's `agent_action_required`, of one that the project owns; null: it is not known. */
  abstract askedAt(project: ProjectId, action: ActionId): Promise<Revision | null>;
  /** Open ones whose time is over at `now` (ms since 1970), those that wait longest first, at most `limit`. */
  abstract due(now: number, limit: number): Promise<readonly ActionId[]>;
}

/** An open action by which a run waits for a budget, and when it was asked (ms since 1970). */
export interface BudgetWait {
  readonly action: ActionId;
  readonly createdAt: number;
}

/** The same of actions by which runs wait for a budget. */
export abstract class BudgetIndex {
  /** Open ones behind `after`, in the order in which they were asked, at most `limit`; fewer: there are no more. */
  abstract openBudgets(limit: number, after?: BudgetWait): Promise<readonly BudgetWait[]>;
}
