import type { Clock } from '#platform';
import type { HoldingLimit } from '#domain';
import { actionOf } from '../tools/actions-of.js';
import { BudgetDenied } from './run-end.js';
import type { RunRecord } from './run-record.js';

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
    const outcome = record.state.budget?.outcome;
    if (outcome === 'denied') throw new BudgetDenied('the budget was not raised');
    return outcome === 'open';
  };
  if (isAsked()) return;
  const asked = JSON.stringify({ spent, limit, ...(of === undefined ? {} : { of }) });
  const content = await record.contents.store(record.session, asked);
  // Another step may have been faster.
  if (isAsked()) return;
  record.write([actionOf('budget', content, record, clock.now())]);
}
