import { createHash } from 'node:crypto';
import type { ProjectId, StreamName } from '../ids.js';

/** Whose calls a budget counts. */
export type BudgetScope = 'key' | 'project';
/** After which time the spent begins at 0 again: days and months are those of UTC. */
export type BudgetPeriod = 'day' | 'month' | 'total';

export interface BudgetId {
  readonly scope: BudgetScope;
  /** Of the key, or the name of the project. */
  readonly id: string;
}

/** Events of a `budget-` stream. */
export type BudgetEvent =
  | {
      readonly type: 'budget_set';
      /** @property limit US dollars, a decimal string */
      readonly data: BudgetId & { readonly limit: string; readonly period: BudgetPeriod };
    }
  | { readonly type: 'budget_removed'; readonly data: BudgetId };

export const BUDGET_PREFIX = 'budget-';

/** One for each, in the form of a UUID of version 5. */
export function budgetStream({ scope, id }: BudgetId): StreamName {
  const x = createHash('sha1')
    .update(JSON.stringify(['budget', scope, id]))
    .digest('hex');
  const uuid = [x.slice(0, 8), x.slice(8, 12), `5${x.slice(13, 16)}`, `8${x.slice(17, 20)}`, x.slice(20, 32)];
  return `${BUDGET_PREFIX}${uuid.join('-')}`;
}

/** `key/ID` or `project/NAME` */
export const budgetName = ({ scope, id }: BudgetId): string => `${scope}/${id}`;

/** What a name stands for. */
export const budgetNamed = (name: string): BudgetId => {
  const at = name.indexOf('/');
  return { scope: name.slice(0, at) === 'key' ? 'key' : 'project', id: name.slice(at + 1) };
};

/** A budget as the project's own that it is of. */
export interface Budget extends BudgetId {
  readonly project: ProjectId;
  readonly limit: string;
  readonly period: BudgetPeriod;
}

/** Who would pay for a model call. */
export interface Payer {
  readonly project: ProjectId;
  /** Id of the key that started the run. */
  readonly key: string;
  readonly model: string;
}

/** A limit that is reached: dollars as decimal strings. */
export interface HoldingLimit {
  readonly spent: string;
  readonly limit: string;
  /** See budgetName; absent: the run's own. */
  readonly of?: string;
}

/** From when on the calls of a period count, and when it ends, in ms since 1970; null: never. */
export function periodAt(
  period: BudgetPeriod,
  now: number,
): { readonly from: number; readonly to: number | null } {
  if (period === 'total') return { from: 0, to: null };
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return period === 'day'
    ? { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
    : { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) };
}

/** Who is said to let runs go on where nobody has. */
const CLOCK = 'clock';

/** The latest change of a budget, as its event says it. */
export interface BudgetChange {
  /** ms since 1970 */
  readonly time: number;
  /** Absent: it was removed. */
  readonly period?: BudgetPeriod;
  /** Id of the key. */
  readonly actor: string;
}

/**
 * Who lets a run go on that waits for a budget since `since`, at `now`: whoever has changed it meanwhile, or the clock where
 * nobody has, or where a period has begun since then: what was changed before it had let nobody go on.
 */
export function raiserOf(change: BudgetChange | undefined, since: number, now: number): string {
  if (change === undefined || change.time < since) return CLOCK;
  const { period, time, actor } = change;
  return period === undefined || time >= periodAt(period, now).from ? actor : CLOCK;
}
