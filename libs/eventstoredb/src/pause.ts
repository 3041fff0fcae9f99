import type { Clock, Random } from '#platform';

const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/** Growing pauses with jitter, so that replicas do not come back all at once. */
export class Pause {
  count = 0;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Ends early, without an error, when the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    const longest = Math.min(FIRST_MS * 2 ** this.count, LONGEST_MS);
    this.count += 1;
    await this.clock.sleep(longest * (0.5 + this.random.jitter() / 2), signal).catch(() => undefined);
  }
}
