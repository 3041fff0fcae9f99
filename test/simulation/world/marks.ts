/** Counts what worlds reached. A mark that stays at 0 over a whole run means that the simulation asks too little. */
export class Marks {
  readonly counts = new Map<string, number>();

  hit(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }
}
