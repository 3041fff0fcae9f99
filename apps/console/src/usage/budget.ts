import { money } from '../parts/format.js';

export const PERIODS = ['day', 'month', 'total'] as const;

/** A budget of `GET /budgets`; amounts are decimal strings. */
export interface BudgetView {
  readonly scope: 'key' | 'project';
  readonly id: string;
  readonly limit: string;
  readonly period: (typeof PERIODS)[number];
  readonly spent: string;
  readonly renews_at: string | null;
}

/** `$50 a month` */
export const limitInWords = ({ limit, period }: Pick<BudgetView, 'limit' | 'period'>): string =>
  `${money(limit).replace(/\.00$/, '')} ${period === 'total' ? 'in all' : `a ${period}`}`;
