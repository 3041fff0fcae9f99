import { SingleBar } from 'cli-progress';

/** Where there is no terminal, a line that often. */
const LINE_MS = 5_000;

/** A bar on standard error; lines where that is no terminal. */
export class Progress {
  private readonly bar = new SingleBar({
    format: '{bar} {percentage}% | {value} of {total} | {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: LINE_MS,
  });

  constructor(total: number) {
    this.bar.start(Math.max(1, total), 0);
  }

  update(value: number, total?: number): void {
    if (total !== undefined) this.bar.setTotal(Math.max(1, total));
    this.bar.update(value);
  }

  stop(): void {
    this.bar.stop();
  }
}
