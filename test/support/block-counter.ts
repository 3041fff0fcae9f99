import { Session } from 'node:inspector/promises';

/**
 * Counts how often blocks of code (branches, and each turn of a loop) are entered: what something costs, whoever else is
 * busy on the machine. Not counted is what goes on within a call of the language's own, or in a function that was called
 * before the counter was opened.
 */
export class BlockCounter {
  private readonly session = new Session();

  private constructor(private readonly part: string) {}

  /** Of code in files whose path holds `part`. */
  static async open(part: string): Promise<BlockCounter> {
    const counter = new BlockCounter(part);
    counter.session.connect();
    await counter.session.post('Profiler.enable');
    await counter.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return counter;
  }

  close(): void {
    this.session.disconnect();
  }

  async count(act: () => void | Promise<void>): Promise<number> {
    await this.taken();
    await act();
    return this.taken();
  }

  /** Since it was last asked. */
  private async taken(): Promise<number> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    return (
      result
        .filter(({ url }) => url.includes(this.part))
        .flatMap(({ functions }) => functions)
        // The first range is the function itself, whose calls are not counted once it is optimised; its blocks are.
        .flatMap(({ ranges }) => ranges.slice(1))
        .reduce((sum, { count }) => sum + count, 0)
    );
  }
}
