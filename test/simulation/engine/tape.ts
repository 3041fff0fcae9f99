/**
 * Every choice of a simulated world is read from here: a seed only fills the tape. What was read is kept, reduced to the
 * choice that was made, so that a world can be repeated from its recording and the recording be shrunk. 0 always means
 * the first entry or no fault; beyond the end of a recording everything reads as 0.
 */
export class Tape {
  readonly choices: number[] = [];
  private isCalm = false;

  private constructor(private readonly draw: (index: number) => number) {}

  static ofSeed(seed: number): Tape {
    return new Tape(generator(seed));
  }

  static of(choices: readonly number[]): Tape {
    return new Tape((index) => choices[index] ?? 0);
  }

  /** From here on every choice is 0, and none is recorded. */
  calm(): void {
    this.isCalm = true;
  }

  get isSilent(): boolean {
    return this.isCalm;
  }

  /** A number from 0 to `count` - 1. */
  choose(count: number): number {
    if (this.isCalm || count <= 1) return 0;
    const value = this.draw(this.choices.length) % count;
    this.choices.push(value);
    return value;
  }

  /** Whether something that happens `perMille` times of a thousand happens now. */
  chance(perMille: number): boolean {
    if (this.isCalm || perMille <= 0) return false;
    return this.choose(1000) >= 1000 - perMille;
  }

  /** One of some weighted cases; the weights of all but the first are per mille, the first takes the rest. */
  pick<K extends string>(first: K, cases: readonly (readonly [K, number])[]): K {
    if (this.isCalm) return first;
    let value = 1000 - this.choose(1000);
    for (const [name, perMille] of cases) {
      if (value <= perMille) return name;
      value -= perMille;
    }
    return first;
  }
}

/** sfc32: small, fast, and the same everywhere. */
function generator(seed: number): () => number {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32);
  let c = 0xb7e15162;
  let counter = 1;
  const next = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}
