/**
 * Coalesces concurrent reads. A read in progress is not joined, for its answer may be older than what the caller
 * knows: callers meanwhile share the next one.
 */
export class SharedRead<T> {
  private current: Promise<unknown> = Promise.resolve();
  private next: Promise<T> | null = null;

  constructor(private readonly once: () => Promise<T>) {}

  read(): Promise<T> {
    if (this.next !== null) return this.next;
    const begin = (): Promise<T> => {
      this.next = null;
      const reading = this.once();
      this.current = reading;
      return reading;
    };
    this.next = this.current.then(begin, begin);
    return this.next;
  }
}
