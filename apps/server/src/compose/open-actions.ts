import type { ActionId, ProjectId, Revision } from '#domain';
import type { Background, Clock, Logger, Role } from '#platform';
import type { ReadModels } from '#read-models';
import {
  ActionClock,
  type ActionCommands,
  ActionIndex,
  BudgetIndex,
  type BudgetWait,
  BudgetWaits,
  type Core,
} from '#runs';
import type { Budgets } from '#access';
import type { EventLog } from '#event-log';
import type { Replicas } from './replicas/replicas.js';

/** Finds actions in the read models. */
class ReadModelActionIndex extends ActionIndex {
  constructor(private readonly readModels: ReadModels) {
    super();
  }

  override askedAt(project: ProjectId, action: ActionId): Promise<Revision | null> {
    return this.readModels.actions.askedAt(project, action);
  }

  override async due(now: number, limit: number): Promise<readonly ActionId[]> {
    // While the tables are not there, the log refuses whoever decides too late.
    return this.readModels.database.isOpen ? this.readModels.actions.due(now, limit) : [];
  }
}

class ReadModelBudgetIndex extends BudgetIndex {
  constructor(private readonly readModels: ReadModels) {
    super();
  }

  override async openBudgets(limit: number, after?: BudgetWait): Promise<readonly BudgetWait[]> {
    return this.readModels.database.isOpen ? this.readModels.actions.openBudgets(limit, after) : [];
  }
}

export interface ActionsPorts {
  readonly replicas: Replicas;
  readonly roles: ReadonlySet<Role>;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly budgets: Budgets;
}

/** What is asked of people and programs, and the clock that closes what nobody decides on. */
export function openActions(
  core: Core,
  readModels: ReadModels,
  { replicas, roles, budgets, ...ports }: ActionsPorts,
): ActionCommands {
  const { sessions, contents } = core;
  const index = new ReadModelActionIndex(readModels);
  const isReached = (name: string, model: string): Promise<boolean> => budgets.isReached(name, model);
  const waiting = { ...ports, sessions, contents, index: new ReadModelBudgetIndex(readModels), isReached };
  const openWaits = (): BudgetWaits => new BudgetWaits(waiting);
  const waits = openWaits();
  budgets.onChanged(() => waits.release());
  if (roles.has('clock')) replicas.add('budgets', openWaits, { beginsRuns: true });
  // What it closes wakes runs.
  if (roles.has('clock'))
    replicas.add('actions', () => new ActionClock({ ...ports, sessions, index }), { beginsRuns: true });
  return core.actions(() => index);
}
