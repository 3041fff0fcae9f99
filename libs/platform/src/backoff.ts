import type { Clock } from './clock.js';
import type { Random } from './random.js';

export interface BackoffShape {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Each pause is so many times the one before; 2 if absent. */
  readonly factor?: number;
  /** The share of a pause that is waited, between these by chance; half to all of it if absent. */
  readonly jitter?: readonly [least: number, most: number];
}

const HALF_TO_ALL = [0.5, 1] as const;

/** Growing pauses between attempts at one thing. Owns how many there were. */
export class Backoff {
  /** Pauses since the beginning, or since the last reset. */
  count = 0;

  /** @param random where others may fail at the same moment and should not come back together; absent: no jitter */
  constructor(
    private readonly clock: Clock,
    private readonly shape: BackoffShape,
    private readonly random?: Random,
  ) {}

  /**
   * Waits for the next pause; ends early, without an error, when the signal is aborted.
   * @param adjust makes another of the pause (ms), as where the other side asked for one
   */
  async wait(signal?: AbortSignal, adjust = (ms: number): number => ms): Promise<void> {
    await this.clock.sleep(adjust(this.nextMs()), signal).catch(() => undefined);
  }

  /** The next pause counts as waited: an attempt that was made at once. */
  skip(): void {
    this.count += 1;
  }

  /** It worked: the next pause is the first one. */
  reset(): void {
    this.count = 0;
  }

  private nextMs(): number {
    const { firstMs, longestMs, factor = 2, jitter = HALF_TO_ALL } = this.shape;
    const pauseMs = Math.min(firstMs * factor ** this.count, longestMs);
    this.count += 1;
    if (this.random === undefined) return pauseMs;
    const [least, most] = jitter;
    return pauseMs * (least + (most - least) * this.random.jitter());
  }
}
