/** Steps by the time at which they are due; of equal times the one that was added first. */
export class DueSteps {
  /** Sorted. */
  private readonly entries: { readonly id: string; readonly at: number }[] = [];
  private readonly times = new Map<string, number>();

  get size(): number {
    return this.entries.length;
  }

  /** When the first that is not due at `now` will be, in ms since 1970; null: there is none. */
  nextAfter(now: number): number | null {
    return this.entries[this.firstFrom(now + 1)]?.at ?? null;
  }

  /** Those that are due at `now`, at most `most`. */
  until(now: number, most: number): string[] {
    const ids: string[] = [];
    for (const { id, at } of this.entries) {
      if (at > now || ids.length >= most) break;
      ids.push(id);
    }
    return ids;
  }

  add(id: string, at: number): void {
    this.remove(id);
    this.times.set(id, at);
    this.entries.splice(this.firstFrom(at + 1), 0, { id, at });
  }

  remove(id: string): void {
    const at = this.times.get(id);
    if (at === undefined) return;
    this.times.delete(id);
    let index = this.firstFrom(at);
    while (this.entries[index]?.id !== id) index++;
    this.entries.splice(index, 1);
  }

  /** Index of the first entry that is due at `at` or later. Times are whole milliseconds. */
  private firstFrom(at: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
