import type { Clock } from './clock.js';
import type { Random } from './random.js';

export interface BackoffShape {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Multiplier from one delay to the next; default 2. */
  readonly factor?: number;
  /** Random share of the delay that is actually waited, as a range; default 0.5 to 1. */
  readonly jitter?: readonly [least: number, most: number];
}

const HALF_TO_ALL = [0.5, 1] as const;

/** Exponential backoff with jitter for one retried operation. Owns the attempt count. */
export class Backoff {
  /** Delays since the start or the last `reset`. */
  count = 0;

  /**
   * @param random for jitter, where several clients may fail at once and should not retry together; absent:
   * no jitter
   */
  constructor(
    private readonly clock: Clock,
    private readonly shape: BackoffShape,
    private readonly random?: Random,
  ) {}

  /**
   * Waits for the next delay. Resolves early, without an error, when the signal is aborted.
   * @param adjust may replace the delay (ms), e.g. by the server's Retry-After
   */
  async wait(signal?: AbortSignal, adjust = (ms: number): number => ms): Promise<void> {
    await this.clock.sleep(adjust(this.nextMs()), signal).catch(() => undefined);
  }

  /** Counts the next delay as waited: that attempt was made at once. */
  skip(): void {
    this.count += 1;
  }

  /** After a success: the next delay is the first one again. */
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
