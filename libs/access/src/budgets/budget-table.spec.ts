import { describe, expect, it } from '@jest/globals';
import type { Budget } from '#domain';
import type { RecordedEvent } from '#event-log';
import { BudgetTable } from './budget-table.js';

const budget = (limit: string): Budget => ({
  scope: 'key',
  id: 'key_1',
  project: 'p',
  limit,
  period: 'total',
});
const { project, ...said } = budget('2');
/** What another replica wrote. */
const heard = (position: number, type = 'budget_set'): RecordedEvent =>
  ({ type, data: said, position, meta: { project } }) as unknown as RecordedEvent;

describe('the table of budgets', () => {
  it('keeps what stands last on the log, whichever it hears of first', () => {
    const table = new BudgetTable();
    table.apply(heard(11));
    // Written here, before it, and acknowledged only now.
    table.set(budget('1'), 10);
    expect(table.named('key/key_1')?.limit).toBe('2');
    table.remove(said, 9);
    expect(table.all()).toHaveLength(1);
    table.set(budget('3'), 12);
    expect(table.named('key/key_1')?.limit).toBe('3');
  });

  it('does not bring back what was removed behind it', () => {
    const table = new BudgetTable();
    table.apply(heard(11, 'budget_removed'));
    table.set(budget('1'), 10);
    expect(table.all()).toEqual([]);
  });
});
