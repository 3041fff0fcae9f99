import { describe, expect, it } from '@jest/globals';
import { Bag, type Bagged } from './bag.js';

class Thing implements Bagged {
  bagPlace: number | undefined = undefined;
  constructor(readonly name: string) {}
}

const things = (...names: string[]): Thing[] => names.map((name) => new Thing(name));
const namesIn = (bag: Bag<Thing>): string[] => [...bag].map(({ name }) => name).sort();

describe('a bag', () => {
  it('holds what was put in and not taken out, in whatever order it is taken', () => {
    for (const order of ['abcd', 'dcba', 'bdac', 'cadb']) {
      const bag = new Bag<Thing>();
      const all = things('a', 'b', 'c', 'd');
      for (const thing of all) bag.add(thing);
      const left = new Set('abcd');
      for (const name of order) {
        bag.delete(all.find((thing) => thing.name === name)!);
        left.delete(name);
        expect(namesIn(bag)).toEqual([...left].sort());
        expect(bag.size).toBe(left.size);
      }
    }
  });

  it('takes out nothing else for what it does not hold, and takes back what it held', () => {
    const bag = new Bag<Thing>();
    const [a, b] = things('a', 'b') as [Thing, Thing];
    bag.add(a);
    bag.delete(b);
    bag.delete(a);
    bag.delete(a);
    expect(bag.size).toBe(0);
    bag.add(b);
    bag.add(a);
    expect(namesIn(bag)).toEqual(['a', 'b']);
  });

  it('gives each that was there once, though they are taken out meanwhile', () => {
    const bag = new Bag<Thing>();
    for (const thing of things('a', 'b', 'c')) bag.add(thing);
    const seen: string[] = [];
    for (const thing of bag) {
      seen.push(thing.name);
      bag.delete(thing);
    }
    expect([seen.sort(), bag.size]).toEqual([['a', 'b', 'c'], 0]);
  });
});
