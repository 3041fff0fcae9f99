import {
  BUDGET_PREFIX,
  type Budget,
  type BudgetEvent,
  type BudgetId,
  type BudgetPeriod,
  type HoldingLimit,
  type Payer,
  Problem,
  type Price,
  type ProjectId,
  budgetName,
  budgetStream,
  formatDollars,
  notFound,
  parseDollars,
  periodAt,
} from '#domain';
import {
  type NewEvent,
  LogUnavailable,
  type Position,
  appendUntilDefinite,
  newEvent,
  LogFeed,
  type LogFeedPorts,
} from '#event-log';
import type { Principal } from '../api-keys/principal.js';
import { BudgetTable } from './budget-table.js';
import { OwnCalls } from './own-calls.js';
import type { Spending } from './spending.js';

export interface BudgetsPorts extends LogFeedPorts {
  readonly spending: Spending;
  readonly prices: { of(model: string): Price | null };
  /** The project of a key that there is; null: there is none. */
  readonly projectOfKey: (id: string) => ProjectId | null;
  readonly hasProject: (project: ProjectId) => boolean;
}

/** A budget and how it stands. */
export interface BudgetView extends BudgetId {
  readonly limit: string;
  readonly period: BudgetPeriod;
  readonly spent: string;
  readonly renews_at: string | null;
}

/** From when on it counts, and when it was asked for, in ms since 1970. */
interface AskedSum {
  readonly from: number;
  readonly at: number;
}

interface KnownSum extends AskedSum {
  readonly spent: bigint;
  readonly upTo: Position;
}

/** What other replicas have spent is known so fast. */
const FRESH_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Budgets of keys and projects: event-sourced like keys. What is spent is what the tables hold, and behind that the calls of
 * this process, so that a limit is exceeded by calls that are under way, and by what other replicas spend in a second.
 */
export class Budgets {
  private readonly table = new BudgetTable();
  private readonly own = new OwnCalls();
  private readonly feed: LogFeed;
  private readonly sums = new Map<string, KnownSum>();
  /** Sums that the tables are being asked for. */
  private readonly reads = new Map<string, AskedSum & { readonly sum: Promise<KnownSum> }>();
  private readonly listeners: (() => Promise<void>)[] = [];

  constructor(private readonly ports: BudgetsPorts) {
    this.feed = new LogFeed('budgets', BUDGET_PREFIX, (event) => this.table.apply(event), ports);
  }

  /** Loads the budgets from the log, and follows what others change. @throws LogUnavailable */
  start(signal: AbortSignal): Promise<void> {
    return this.feed.start(signal);
  }

  /** Calls `listener` when somebody has changed a budget here, before they are answered. */
  onChanged(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  /** A call of this process has ended; its event, of these data, may come to the log later. */
  spent({ project, key }: Omit<Payer, 'model'>, event: object): void {
    const cost = parseDollars((event as { readonly cost: string }).cost);
    this.own.add(event, { project, key, time: this.ports.clock.now(), cost });
  }

  /** Events of this process are on the log. */
  noteStored(events: readonly NewEvent[], position: Position): void {
    this.own.noteStored(events, position);
  }

  /** The key's budget first, then the project's; null: neither is reached. @throws what an outage of the tables is */
  async reached(payer: Payer): Promise<HoldingLimit | null> {
    for (const budget of this.table.of(payer)) {
      const holding = await this.holdingOf(budget, payer.model);
      if (holding !== null) return holding;
    }
    return null;
  }

  /** The same for a run that goes on: while the tables do not answer it is waited for them. @throws the signal's reason */
  async holding(payer: Payer, signal?: AbortSignal): Promise<HoldingLimit | null> {
    for (;;) {
      try {
        return await this.reached(payer);
      } catch (err) {
        this.ports.logger.warn({ err }, 'what was spent could not be read yet: a run waits for it');
        await this.ports.clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** @throws Problem budget_exhausted; unprocessable: it would have to count a model without a price; what an outage is */
  async requireLeft(payer: Payer, own?: string): Promise<void> {
    const { model } = payer;
    const isCounted = own !== undefined || this.table.of(payer).length > 0;
    if (isCounted && this.ports.prices.of(model) === null)
      throw new Problem(
        'unprocessable',
        `budget: there is no price of the model ${model}, so nothing can be counted`,
      );
    const reached = await this.reached(payer);
    if (reached === null) return;
    const { of, spent, limit } = reached;
    throw new Problem('budget_exhausted', `the budget ${of} is spent: ${spent} of ${limit} US dollars`);
  }

  /** Whether the budget of this name holds calls of the model now. @throws what an outage is */
  async isReached(name: string, model: string): Promise<boolean> {
    const budget = this.table.named(name);
    return budget !== null && (await this.holdingOf(budget, model)) !== null;
  }

  /** @throws Problem not_found; LogUnavailable; what an outage of the tables is */
  async put(
    caller: Principal,
    of: BudgetId,
    { limit, period }: Pick<Budget, 'limit' | 'period'>,
  ): Promise<BudgetView> {
    const project = this.ownerOf(caller, of);
    const budget: Budget = { ...of, project, limit: formatDollars(parseDollars(limit)), period };
    const data = { scope: of.scope, id: of.id, limit: budget.limit, period };
    this.table.set(budget, await this.write({ type: 'budget_set', data }, project, caller.keyId));
    await this.changed(of);
    return this.viewOf(budget);
  }

  /** @throws Problem not_found; LogUnavailable */
  async remove(caller: Principal, of: BudgetId): Promise<void> {
    const budget = this.table.get(of);
    if (budget === null || !mayRead(caller, budget)) throw notFound('the budget');
    const event = { type: 'budget_removed', data: { scope: of.scope, id: of.id } } as const;
    this.table.remove(of, await this.write(event, budget.project, caller.keyId));
    await this.changed(of);
  }

  /** Those of the caller's project; the first admin key sees all. In the order of their names, from after `after` on. */
  async list(caller: Principal, limit: number, after?: string): Promise<readonly BudgetView[]> {
    const seen = this.table.all().filter((budget) => mayRead(caller, budget));
    const rest = seen.filter((budget) => after === undefined || budgetName(budget) > after);
    return Promise.all(rest.slice(0, limit).map((budget) => this.viewOf(budget)));
  }

  /** null: it holds no call of the model. */
  private async holdingOf(budget: Budget, model: string): Promise<HoldingLimit | null> {
    const spent = await this.spentOf(budget);
    if (spent < parseDollars(budget.limit) && this.ports.prices.of(model) !== null) return null;
    return { spent: formatDollars(spent), limit: budget.limit, of: budgetName(budget) };
  }

  private async viewOf(budget: Budget): Promise<BudgetView> {
    const { scope, id, limit, period } = budget;
    const { to } = periodAt(period, this.ports.clock.now());
    const spent = formatDollars(await this.spentOf(budget));
    return { scope, id, limit, period, spent, renews_at: to === null ? null : new Date(to).toISOString() };
  }

  private async spentOf(budget: Budget): Promise<bigint> {
    const now = this.ports.clock.now();
    const { from } = periodAt(budget.period, now);
    const known = this.sums.get(budgetName(budget));
    const { spent, upTo } = isOf(known, from, now) ? known : await this.read(budget, from, now);
    return spent + this.own.sum(budget, from, upTo);
  }

  /** Whoever asks meanwhile is told the same: hundreds of runs may come to their next call at once. */
  private read(budget: Budget, from: number, at: number): Promise<KnownSum> {
    const name = budgetName(budget);
    const underWay = this.reads.get(name);
    if (isOf(underWay, from, at)) return underWay.sum;
    const sum = this.ports.spending.sum(budget, from).then((told) => {
      const known = { ...told, from, at };
      this.sums.set(name, known);
      this.own.forget(known.upTo, at);
      return known;
    });
    this.reads.set(name, { from, at, sum });
    const ended = (): void => {
      if (this.reads.get(name)?.sum === sum) this.reads.delete(name);
    };
    sum.then(ended, ended);
    return sum;
  }

  /** @throws Problem not_found */
  private ownerOf(caller: Principal, { scope, id }: BudgetId): ProjectId {
    const { projectOfKey, hasProject } = this.ports;
    if (scope === 'project') {
      if (id === caller.project || (caller.isRoot && hasProject(id))) return id;
      throw notFound('the project');
    }
    const project = projectOfKey(id);
    if (project === null || !(caller.isRoot || project === caller.project)) throw notFound('the key');
    return project;
  }

  private async changed(of: BudgetId): Promise<void> {
    this.sums.delete(budgetName(of));
    this.reads.delete(budgetName(of));
    for (const listener of this.listeners) await listener();
  }

  /** Returns where on the log it stands. */
  private async write({ type, data }: BudgetEvent, project: ProjectId, actor: string): Promise<Position> {
    const { log, clock, random } = this.ports;
    const time = clock.now();
    const made = newEvent({ id: random.uuid(), time, type, data }, { schemaVersion: 1, project, actor });
    const options = { expected: 'any' } as const;
    const result = await appendUntilDefinite(log, clock, random, budgetStream(data), [made], options);
    if (result.kind === 'conflict') throw new LogUnavailable('the budget could not be written');
    return result.position;
  }
}

const isOf = <T extends AskedSum>(asked: T | undefined, from: number, now: number): asked is T =>
  asked?.from === from && asked.at + FRESH_MS > now;

const mayRead = (caller: Principal, { project }: Budget): boolean =>
  caller.isRoot || caller.project === project;
