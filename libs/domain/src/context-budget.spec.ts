import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutToBudget } from './context-budget.js';

interface Sized {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly size: number;
  readonly name: string;
}

/** `u5 a3 t2` as messages: role and size. */
const parse = (text: string): Sized[] =>
  text.split(' ').map((name) => ({
    role: name.startsWith('u') ? 'user' : name.startsWith('a') ? 'assistant' : 'tool',
    size: Number(name.slice(1)),
    name,
  }));
const cut = (text: string, budget: number): string =>
  cutToBudget(parse(text), budget, (m) => m.size)
    .map((m) => m.name)
    .join(' ');

describe('a context that is cut to a budget', () => {
  it.each([
    ['fits and stays as it is', 'u5 a5 u5 a5', 20, 'u5 a5 u5 a5'],
    ['loses its oldest turns, beginning with a user message', 'u5 a5 u5 a6 u7', 18, 'u5 a6 u7'],
    ['does not begin with an answer whose question is gone', 'u5 a5 u7', 12, 'u7'],
    ['keeps the last user message though it alone is too long', 'u5 a5 u50', 10, 'u50'],
    ['keeps the last user message before a long run of turns', 'u9 a5 t5 a6 t6 a7 t7', 36, 'u9 a6 t6 a7 t7'],
    ['keeps the last turn though it is too long', 'u9 a5 t5 a6 t60', 20, 'u9 a6 t60'],
    ['does not split a call from its results', 'u9 a5 t1 t1 a6 t6', 23, 'u9 a6 t6'],
    ['is nothing where there is nothing', 'u0', 0, 'u0'],
  ])('%s', (_, messages, budget, rest) => {
    expect(cut(messages, budget)).toBe(rest);
  });

  const size = fc.integer({ min: 1, max: 30 });
  const step = fc
    .tuple(size, fc.array(size, { maxLength: 3 }))
    .map(([a, tools]) => [`a${a}`, ...tools.map((t) => `t${t}`)].join(' '));
  const run = fc
    .tuple(size, fc.array(step, { maxLength: 4 }))
    .map(([u, steps]) => [`u${u}`, ...steps].join(' '));
  const anyContext = fc.array(run, { minLength: 1, maxLength: 5 }).map((runs) => runs.join(' '));

  it('is a suffix, but for the last user message, keeps that, splits no call from its results, and fits', () => {
    fc.assert(
      fc.property(anyContext, fc.nat(200), (text, budget) => {
        const all = parse(text);
        const rest = cutToBudget(all, budget, (m) => m.size);
        const lastUser = all.findLast((m) => m.role === 'user')!;
        const lastAnswer = all.findLastIndex((m) => m.role === 'assistant');
        expect(rest).toContain(lastUser);
        const suffix = rest[0] === lastUser ? rest.slice(1) : rest;
        expect(all.slice(all.length - suffix.length)).toEqual(suffix);
        expect(suffix[0]?.role).not.toBe('tool');
        expect(rest[0]?.role).toBe('user');
        const needed = [lastUser, ...(lastAnswer > all.indexOf(lastUser) ? all.slice(lastAnswer) : [])];
        const total = rest.reduce((sum, m) => sum + m.size, 0);
        if (total > budget) expect(rest).toEqual(needed);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves nothing out that would fit: one turn more is over the budget', () => {
    fc.assert(
      fc.property(anyContext, fc.nat(200), (text, budget) => {
        const all = parse(text);
        const rest = cutToBudget(all, budget, (m) => m.size);
        if (rest.length === all.length || rest[0] === all.findLast((m) => m.role === 'user')) return;
        const previousUser = all.findLastIndex((m, i) => i < all.length - rest.length && m.role === 'user');
        const total = all.slice(previousUser).reduce((sum, m) => sum + m.size, 0);
        expect(total).toBeGreaterThan(budget);
      }),
      { numRuns: 500 },
    );
  });
});
