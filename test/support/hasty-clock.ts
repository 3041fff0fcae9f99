import { SystemClock } from '#platform';

/** Real time whose timers are due so many times as soon: for code that waits for seconds, where they are not what is tested. */
export class HastyClock extends SystemClock {
  constructor(private readonly times: number) {
    super();
  }

  override timer(ms: number, fire: () => void): () => void {
    return super.timer(ms / this.times, fire);
  }
}
