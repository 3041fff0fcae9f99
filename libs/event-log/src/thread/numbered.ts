const COMPACT_AT = 1_024;

/**
 * A queue of items by sequence number, from 0, mostly removed oldest first: what is in flight to a thread or
 * server. Owns the numbers.
 */
export class Numbered<T extends object> {
  private items: (T | undefined)[] = [];
  /** Sequence number of the first of `items`. */
  private from = 0;
  /** Items before this index are removed. */
  private gone = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Returns its sequence number. */
  add(item: T): number {
    this.count += 1;
    return this.from + this.items.push(item) - 1;
  }

  get(number: number): T | undefined {
    return this.items[number - this.from];
  }

  /** Removes it; undefined: not there. */
  take(number: number): T | undefined {
    const at = number - this.from;
    const item = this.items[at];
    if (item === undefined) return undefined;
    // Given away it is to be garbage soon, while it is young.
    this.items[at] = undefined;
    this.count -= 1;
    while (this.gone < this.items.length && this.items[this.gone] === undefined) this.gone += 1;
    if (this.gone > COMPACT_AT && this.gone * 2 > this.items.length) {
      this.items.splice(0, this.gone);
      this.from += this.gone;
      this.gone = 0;
    }
    return item;
  }

  /** Removes the oldest. */
  shift(): T | undefined {
    return this.take(this.from + this.gone);
  }

  /** The next sequence number. */
  get next(): number {
    return this.from + this.items.length;
  }

  /** Oldest first. Must not be changed meanwhile. */
  *values(): Iterable<T> {
    for (let at = this.gone; at < this.items.length; at++) {
      const item = this.items[at];
      if (item !== undefined) yield item;
    }
  }

  /** Removes all, oldest first. */
  drain(): T[] {
    const all = [...this.values()];
    this.from = this.next;
    this.items = [];
    this.gone = 0;
    this.count = 0;
    return all;
  }
}
