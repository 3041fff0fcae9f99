import type { Logger } from './logger.js';

/** The only way to start work that nobody awaits: it is named, its errors are owned, and it can be waited for at the end. */
export abstract class Background {
  abstract start(name: string, work: () => Promise<void>): void;
}

/** Runs the work in this process; an error that escapes is logged, and kills the process if the work says it must not fail. */
export class ProcessBackground extends Background {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly logger: Logger) {
    super();
  }

  override start(name: string, work: () => Promise<void>): void {
    const promise = work()
      .catch((error: unknown) => this.logger.error({ err: error, work: name }, 'background work failed'))
      .finally(() => this.running.delete(promise));
    this.running.add(promise);
  }

  /** Resolves when all the work that was started has ended. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
