import { createHash } from 'node:crypto';
import { Random } from '#platform';

/** Chance that is the same in every test run: numbers made of a name and a count. */
export class CountingRandom extends Random {
  private count = 0;

  constructor(
    private readonly name: string,
    private readonly jitters = 0,
  ) {
    super();
  }

  override uuid(): string {
    const x = this.hex(16);
    return `${x.slice(0, 8)}-${x.slice(8, 12)}-4${x.slice(13, 16)}-8${x.slice(17, 20)}-${x.slice(20)}`;
  }

  override hex(bytes: number): string {
    return createHash('sha512')
      .update(`${this.name} ${this.count++}`)
      .digest('hex')
      .slice(0, bytes * 2);
  }

  override jitter(): number {
    return this.jitters;
  }
}
