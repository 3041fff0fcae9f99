/** What a Bag can hold. */
export interface Bagged {
  /** Where the bag has it; the bag's alone. */
  bagPlace?: number | undefined;
}

/**
 * Things that come and go all the time. A Set would do, but V8 chains the tables that a Set or Map outgrows: once one of
 * them is old, all that was held after it stays in memory, and is copied, until the next full collection (ADR 10).
 */
export class Bag<T extends Bagged> implements Iterable<T> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  /** Nothing may be in two bags, nor twice in one. */
  add(item: T): void {
    item.bagPlace = this.items.push(item) - 1;
  }

  /** Nothing happens where it is not in the bag. */
  delete(item: T): void {
    const { bagPlace: place } = item;
    if (place === undefined) return;
    item.bagPlace = undefined;
    const last = this.items.pop()!;
    if (last === item) return;
    last.bagPlace = place;
    this.items[place] = last;
  }

  /** All that are in it now, whatever is taken out meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.items].values();
  }
}
