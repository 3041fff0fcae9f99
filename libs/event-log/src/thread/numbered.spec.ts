import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Numbered } from './numbered.js';

test('does what a Map by numbers does, whatever comes and goes', () => {
  const anyStep = fc.oneof(
    { weight: 4, arbitrary: fc.constant('add' as const) },
    { weight: 1, arbitrary: fc.constant('shift' as const) },
    { weight: 3, arbitrary: fc.nat({ max: 3_000 }) },
  );
  const steps = fc.array(anyStep, { minLength: 1, maxLength: 6_000 });
  fc.assert(
    fc.property(steps, (all) => {
      const numbered = new Numbered<{ n: number }>();
      const map = new Map<number, { n: number }>();
      let next = 0;
      for (const step of all)
        if (step === 'add') {
          const item = { n: next };
          map.set(next, item);
          expect(numbered.next).toBe(next);
          expect(numbered.add(item)).toBe(next++);
        } else if (step === 'shift') {
          const [oldest] = map;
          expect(numbered.shift()).toBe(oldest?.[1]);
          if (oldest !== undefined) map.delete(oldest[0]);
          expect(numbered.size).toBe(map.size);
        } else {
          expect(numbered.get(step)).toBe(map.get(step));
          expect(numbered.take(step)).toBe(map.get(step));
          map.delete(step);
          expect(numbered.size).toBe(map.size);
        }
      expect([...numbered.values()]).toEqual([...map.values()]);
    }),
    { numRuns: 30 },
  );
});

test('keeps no more than twice what is in it, where the oldest go first', () => {
  const numbered = new Numbered<{ n: number }>();
  for (let n = 0; n < 100_000; n++) {
    numbered.add({ n });
    if (n >= 10) expect(numbered.take(n - 10)).toEqual({ n: n - 10 });
  }
  expect(numbered.size).toBe(10);
  expect((numbered as unknown as { items: unknown[] }).items.length).toBeLessThan(3_000);
});

test('gives all at once, and goes on with the next number', () => {
  const numbered = new Numbered<{ n: number }>();
  for (let n = 0; n < 4; n++) numbered.add({ n });
  numbered.take(1);
  expect(numbered.drain()).toEqual([{ n: 0 }, { n: 2 }, { n: 3 }]);
  expect(numbered.size).toBe(0);
  expect(numbered.add({ n: 4 })).toBe(4);
  expect(numbered.get(0)).toBeUndefined();
  expect(numbered.take(NaN)).toBeUndefined();
});
