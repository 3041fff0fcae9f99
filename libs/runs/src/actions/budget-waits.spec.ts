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

function waitsOf(index: BudgetIndex, use: (session: SessionId) => Promise<never>): BudgetWaits {
  const logger = new SilentLogger();
  const ports: Partial<BudgetWaitsPorts> = {
    sessions: { use } as unknown as Sessions,
    index,
    clock: new ManualClock(),
    background: new ProcessBackground(logger),
    logger,
  };
  return new BudgetWaits(ports as BudgetWaitsPorts);
}
const waitsFor = (count: number): readonly BudgetWait[] =>
  Array.from({ length: count }, (_, n) => ({ action: `act_ses_${n}_x`, createdAt: n }));

describe('runs that wait for a budget', () => {
  it.each([0, 1, 499, 500, 501, 1_600])('are all looked at, also where %d do', async (count) => {
    const waits = waitsFor(count);
    const looked: SessionId[] = [];
    const use = (session: SessionId): Promise<never> => {
      looked.push(session);
      return Promise.reject(notFound('the session'));
    };
    await waitsOf(new LongWaits(waits), use).release();
    expect(looked).toEqual(waits.map((_, n) => `ses_${n}`));
  });

  it('are looked at many at once, whichever of them takes long', async () => {
    const slow = Promise.withResolvers<void>();
    const looked: SessionId[] = [];
    const use = async (session: SessionId): Promise<never> => {
      if (session === 'ses_0') await slow.promise;
      looked.push(session);
      throw notFound('the session');
    };
    const released = waitsOf(new LongWaits(waitsFor(100)), use).release();
    await new Promise(setImmediate);
    expect(looked).toHaveLength(99);
    slow.resolve();
    await released;
    expect(looked).toHaveLength(100);
  });

  it('are looked at again where they could not be looked up', async () => {
    const lost = new (class extends BudgetIndex {
      override openBudgets = () => Promise.reject(new Error('away'));
    })();
    const never = () => Promise.reject(new Error('never'));
    await expect(waitsOf(lost, never).release()).resolves.toBeUndefined();
  });
});
