import type { Mode } from '#domain';

/** Tokens of context in each mode. */
export type ContextBudgets = Readonly<Record<Mode, number>>;

/** Where nothing else is set. */
export const CONTEXT_BUDGETS: ContextBudgets = { flash: 50_000, base: 100_000, max: 200_000 };
