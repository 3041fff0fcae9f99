import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as a port, so that a simulated run is reproducible. */
export abstract class Random {
  /** A UUID (version 4 in production). */
  abstract uuid(): string;
  /** `bytes` random bytes as lower-case hex. */
  abstract hex(bytes: number): string;
  /** A number in [0, 1). */
  abstract jitter(): number;
}

const POOL_BYTES = 8192;

/** Draws from a buffer, because a system call for each number costs ten times as much. */
export class SystemRandom extends Random {
  private pool = Buffer.alloc(0);
  private at = 0;

  override uuid(): string {
    return randomUUID();
  }

  override hex(bytes: number): string {
    if (this.at + bytes > this.pool.length) {
      this.pool = randomBytes(Math.max(POOL_BYTES, bytes));
      this.at = 0;
    }
    this.at += bytes;
    return this.pool.toString('hex', this.at - bytes, this.at);
  }

  override jitter(): number {
    return Math.random();
  }
}
