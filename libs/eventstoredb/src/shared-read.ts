/**
 * A read that callers who come together share. One that is under way is not joined: its answer may be older than what the
 * caller knows. Who comes meanwhile shares the next.
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
