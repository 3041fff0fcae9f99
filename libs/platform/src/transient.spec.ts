import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TransientMap, TransientSet } from './transient.js';

/** Puts in and takes out, of a few things, in any order. */
const steps = fc.array(fc.record({ of: fc.constantFrom('a', 'b', 'c', 'd'), isTaken: fc.boolean() }), {
  maxLength: 40,
});

describe('a transient map', () => {
  it('holds what a Map would hold, in the same order', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const map = new Map<string, { n: number }>();
        const transient = new TransientMap<{ n: number }>();
        for (const [n, { of, isTaken }] of all.entries()) {
          if (isTaken) {
            map.delete(of);
            transient.delete(of);
          } else {
            map.set(of, { n });
            transient.set(of, { n });
          }
          expect([...transient]).toEqual([...map]);
          expect([transient.size, transient.has(of), transient.get(of)]).toEqual([
            map.size,
            map.has(of),
            map.get(of),
          ]);
        }
        transient.clear();
        expect([transient.size, ...transient]).toEqual([0]);
      }),
    );
  });

  it('can be emptied while it is gone through', () => {
    const transient = new TransientMap<{ n: number }>();
    for (let n = 0; n < 10; n++) transient.set(`k${n}`, { n });
    for (const [key] of transient) {
      if (transient.size <= 3) break;
      transient.delete(key);
    }
    expect([...transient].map(([key]) => key)).toEqual(['k7', 'k8', 'k9']);
  });
});

describe('a transient set', () => {
  it('holds what was put in and not taken out, in the order in which it came', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const expected = new Map<string, object>();
        const takenOut = new Map<string, () => void>();
        const transient = new TransientSet<object>();
        for (const { of, isTaken } of all) {
          if (isTaken) takenOut.get(of)?.();
          else if (!expected.has(of)) {
            const thing = { of };
            expected.set(of, thing);
            takenOut.set(of, transient.add(thing));
          }
          if (isTaken) expected.delete(of);
          expect([...transient]).toEqual([...expected.values()]);
          expect(transient.size).toBe(expected.size);
        }
      }),
    );
  });

  it('gives each that is there once, though they are taken out meanwhile', () => {
    const transient = new TransientSet<{ name: string }>();
    const remove = new Map(['a', 'b', 'c'].map((name) => [name, transient.add({ name })]));
    const seen: string[] = [];
    for (const { name } of transient) {
      seen.push(name);
      remove.get(name)!();
    }
    expect([seen, transient.size]).toEqual([['a', 'b', 'c'], 0]);
  });
});
