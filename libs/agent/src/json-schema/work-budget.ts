/** A schema and a value that together take longer than anybody may block the process. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
  constructor() {
    super('checking it takes too long');
  }
}

/** About a microsecond each: a fifth of a second. */
const UNITS = 200_000;

/**
 * What one validation may cost. Nobody can interrupt a validator, and schemas of a few hundred bytes can make one run for
 * hours (references that double at each level), so it counts as it goes.
 */
export class WorkBudget {
  private left = UNITS;

  refill(): void {
    this.left = UNITS;
  }

  /** @throws TooMuchWork */
  spend(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new TooMuchWork();
  }
}
