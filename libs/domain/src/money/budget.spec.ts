import { describe, expect, it } from '@jest/globals';
import { type BudgetChange, raiserOf } from './budget.js';

const at = (text: string): number => Date.parse(text);
const SINCE = at('2026-11-28T12:00:00Z');
const change = (time: string, period?: BudgetChange['period']): BudgetChange => ({
  time: at(time),
  actor: 'key_1',
  ...(period && { period }),
});

describe('who lets a run go on that waits for a budget', () => {
  it.each<[string, BudgetChange | undefined, string, string]>([
    ['nobody', undefined, '2026-12-01T00:00:00Z', 'clock'],
    ['a change before it waited', change('2026-11-28T11:59:59Z', 'day'), '2026-11-29T00:00:00Z', 'clock'],
    ['a change', change('2026-11-28T13:00:00Z', 'day'), '2026-11-28T13:00:01Z', 'key_1'],
    ['a removal', change('2026-11-28T13:00:00Z'), '2026-11-29T13:00:00Z', 'key_1'],
    ['one without periods', change('2026-11-28T13:00:00Z', 'total'), '2027-11-29T13:00:00Z', 'key_1'],
    // It was too little, or less than before.
    ['the next day', change('2026-11-28T13:00:00Z', 'day'), '2026-11-29T00:00:00Z', 'clock'],
    ['the next month', change('2026-11-28T13:00:00Z', 'month'), '2026-12-01T00:00:00Z', 'clock'],
    ['a change of that day', change('2026-11-29T00:00:00Z', 'day'), '2026-11-29T00:00:01Z', 'key_1'],
  ])('is, with %s, who is named', (_, changed, now, actor) => {
    expect(raiserOf(changed, SINCE, at(now))).toBe(actor);
  });
});
