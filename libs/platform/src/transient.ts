/** What a table holds in place of a thing, which it lets go of when it is taken out. */
interface Cell<T> {
  thing: T | undefined;
}

/**
 * Things that come and go with every run, and hold much. A Set would do, but V8 leaves in each table that a Set or Map
 * outgrows, be it by deletions alone, a pointer to the next one. Once one of them is old, all that was in the tables after
 * it stays in memory, and is copied, until the next full collection (ADR 10).
 */
export class TransientSet<T extends object> implements Iterable<T> {
  private readonly cells = new Set<Cell<T>>();

  get size(): number {
    return this.cells.size;
  }

  /** Returns what takes it out. */
  add(thing: T): () => void {
    const cell: Cell<T> = { thing };
    this.cells.add(cell);
    return () => {
      this.cells.delete(cell);
      cell.thing = undefined;
    };
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { thing } of this.cells) if (thing !== undefined) yield thing;
  }
}

/** The same, of things that are found by a key. */
export class TransientMap<T extends object> implements Iterable<readonly [string, T]> {
  private readonly cells = new Map<string, Cell<T>>();

  get size(): number {
    return this.cells.size;
  }

  get(key: string): T | undefined {
    return this.cells.get(key)?.thing;
  }

  has(key: string): boolean {
    return this.cells.has(key);
  }

  /** Behind all others, where it is new. */
  set(key: string, thing: T): void {
    const cell = this.cells.get(key);
    if (cell === undefined) this.cells.set(key, { thing });
    else cell.thing = thing;
  }

  delete(key: string): void {
    const cell = this.cells.get(key);
    if (cell === undefined) return;
    this.cells.delete(key);
    cell.thing = undefined;
  }

  clear(): void {
    for (const key of this.cells.keys()) this.delete(key);
  }

  *[Symbol.iterator](): Iterator<readonly [string, T]> {
    for (const [key, { thing }] of this.cells) if (thing !== undefined) yield [key, thing];
  }
}
