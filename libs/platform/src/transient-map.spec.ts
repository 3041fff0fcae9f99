import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TransientMap } from './transient-map.js';

it('holds what a Map would hold, in the same order', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.record({ key, isTaken: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const map = new Map<string, { n: number }>();
      const transient = new TransientMap<{ n: number }>();
      for (const [n, { key: at, isTaken }] of steps.entries()) {
        expect(transient.get(at)).toBe(map.get(at));
        if (isTaken || map.has(at)) {
          expect(transient.take(at)).toBe(map.get(at));
          map.delete(at);
        } else {
          const value = { n };
          map.set(at, value);
          transient.add(at, value);
        }
        expect([...transient.keys()]).toEqual([...map.keys()]);
        expect([...transient.values()]).toEqual([...map.values()]);
        expect(transient.size).toBe(map.size);
      }
      transient.clear();
      expect([transient.size, [...transient.values()]]).toEqual([0, []]);
    }),
  );
});

it('can be emptied while it is gone through', () => {
  const transient = new TransientMap<{ n: number }>();
  for (let n = 0; n < 10; n++) transient.add(`k${n}`, { n });
  for (const key of transient.keys()) {
    if (transient.size <= 3) break;
    transient.take(key);
  }
  expect([...transient.keys()]).toEqual(['k7', 'k8', 'k9']);
});
