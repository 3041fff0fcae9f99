import type { Clock } from '#platform';
import type { HoldingLimit } from '#domain';
import { actionOf } from '../tools/actions-of.js';
import type { RunRecord } from './run-record.js';

/** Asks for more of a budget: one action for the whole run, whichever of its steps comes first. */
export async function askForBudget(
  record: RunRecord,
  { spent, limit, of }: HoldingLimit,
  clock: Clock,
): Promise<void> {
  const isAsked = (): boolean => record.state.budget?.outcome === 'open';
  if (isAsked()) return;
  const asked = JSON.stringify({ spent, limit, ...(of === undefined ? {} : { of }) });
  const content = await record.contents.store(record.session, asked);
  // Another step may have been faster.
  if (isAsked()) return;
  record.write([actionOf('budget', content, record, clock.now())]);
}
