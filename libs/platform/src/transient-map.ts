/** What a table that was outgrown still holds: empty once the value was taken out. */
interface Slot<V> {
  value: V | undefined;
}

/** A Map, by text, of what comes and goes all the time, in the order in which it came. For why it is not a Map see Bag. */
export class TransientMap<V extends object> {
  private readonly slots = new Map<string, Slot<V>>();

  get size(): number {
    return this.slots.size;
  }

  get(key: string): V | undefined {
    return this.slots.get(key)?.value;
  }

  /** Nothing may be there by this key. */
  add(key: string, value: V): void {
    this.slots.set(key, { value });
  }

  /** Takes it out; undefined: it was not there. */
  take(key: string): V | undefined {
    const slot = this.slots.get(key);
    if (slot === undefined) return undefined;
    const { value } = slot;
    slot.value = undefined;
    this.slots.delete(key);
    return value;
  }

  /** The oldest first. What was seen may be taken out meanwhile. */
  keys(): Iterable<string> {
    return this.slots.keys();
  }

  *values(): Iterable<V> {
    for (const { value } of this.slots.values()) if (value !== undefined) yield value;
  }

  clear(): void {
    for (const key of this.slots.keys()) this.take(key);
  }
}
