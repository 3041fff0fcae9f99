import { describe, expect, it } from '@jest/globals';
import { type SessionId, notFound } from '#domain';
import { ProcessBackground, SilentLogger } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { Sessions } from '../sessions.js';
import { BudgetIndex, type BudgetWait } from './action-index.js';
import { BudgetWaits, type BudgetWaitsPorts } from './budget-waits.js';

/** Runs that all wait on: each for a budget of its own, that nobody raises. */
class LongWaits extends BudgetIndex {
  constructor(private readonly waits: readonly BudgetWait[]) {
    super();
  }

  override openBudgets(limit: number, after?: BudgetWait): Promise<readonly BudgetWait[]> {
    const from = after === undefined ? 0 : this.waits.indexOf(after) + 1;
    return Promise.resolve(this.waits.slice(from, from + limit));
  }
}

describe('runs that wait for a budget', () => {
  it.each([0, 1, 499, 500, 501, 1_600])('are all looked at, also where %d do', async (count) => {
    const waits = Array.from({ length: count }, (_, n) => ({ action: `act_ses_${n}_x`, createdAt: n }));
    const looked: SessionId[] = [];
    const use = (session: SessionId): Promise<never> => {
      looked.push(session);
      return Promise.reject(notFound('the session'));
    };
    const logger = new SilentLogger();
    const ports: Partial<BudgetWaitsPorts> = {
      sessions: { use } as unknown as Sessions,
      index: new LongWaits(waits),
      clock: new ManualClock(),
      background: new ProcessBackground(logger),
      logger,
    };
    await new BudgetWaits(ports as BudgetWaitsPorts).release();
    expect(looked).toEqual(waits.map((_, n) => `ses_${n}`));
  });
});
