const COMPACT_AT = 1_024;

/**
 * Things by the number by which they came, from 0, of which the oldest mostly go first: what is on its way to a thread or a
 * server. Owns the numbers.
 */
export class Numbered<T extends object> {
  private items: (T | undefined)[] = [];
  /** Number of the first of `items`. */
  private from = 0;
  /** Of `items`, those before it are gone. */
  private gone = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Returns its number. */
  add(item: T): number {
    this.count += 1;
    return this.from + this.items.push(item) - 1;
  }

  get(number: number): T | undefined {
    return this.items[number - this.from];
  }

  /** Takes it out; undefined: there is none by this number. */
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

  /** Takes out the oldest. */
  shift(): T | undefined {
    return this.take(this.from + this.gone);
  }

  /** The number of the next. */
  get next(): number {
    return this.from + this.items.length;
  }

  /** The oldest first. Nothing may be taken out meanwhile. */
  *values(): Iterable<T> {
    for (let at = this.gone; at < this.items.length; at++) {
      const item = this.items[at];
      if (item !== undefined) yield item;
    }
  }

  /** Takes all out, the oldest first. */
  drain(): T[] {
    const all = [...this.values()];
    this.from = this.next;
    this.items = [];
    this.gone = 0;
    this.count = 0;
    return all;
  }
}
