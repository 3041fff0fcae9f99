import type { Clock } from '#platform';
import type { HoldingLimit } from '#domain';
import { actionOf } from '../tools/actions-of.js';
import { BudgetDenied } from './run-end.js';
import type { RunRecord } from './run-record.js';

/** @throws BudgetDenied */
export function requireNotDenied({ state }: Pick<RunRecord, 'state'>): void {
  if (state.budget?.outcome === 'denied') throw new BudgetDenied('the budget was not raised');
}

/**
 * Asks for more of a budget: one action for the whole run, whichever of its steps comes first.
 * @throws BudgetDenied: nobody is asked again
 */
export async function askForBudget(
  record: RunRecord,
  { spent, limit, of }: HoldingLimit,
  clock: Clock,
): Promise<void> {
  const isAsked = (): boolean => {
    requireNotDenied(record);
    return record.state.budget?.outcome === 'open';
  };
  if (isAsked()) return;
  const asked = JSON.stringify({ spent, limit, ...(of === undefined ? {} : { of }) });
  const content = await record.contents.store(record.session, asked);
  // Another step may have been faster.
  if (isAsked()) return;
  record.write([actionOf('budget', content, record, clock.now())]);
}
