import type { Logger } from './logger.js';

/**
 * The only way to start work that nobody awaits (fire and forget): named, with its errors handled, and
 * awaited at shutdown.
 */
export abstract class Background {
  abstract start(name: string, work: () => Promise<void>): void;
}

/**
 * Runs the work in this process. An error that escapes is logged; for work marked as fatal it ends the
 * process.
 */
export class ProcessBackground extends Background {
  private running = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly logger: Logger) {
    super();
  }

  override start(name: string, work: () => Promise<void>): void {
    this.running += 1;
    work().then(this.ended, (error: unknown) => {
      this.logger.error({ err: error, work: name }, 'background work failed');
      this.ended();
    });
  }

  /** Resolves when all the work that was started has ended. */
  async settled(): Promise<void> {
    while (this.running > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private readonly ended = (): void => {
    this.running -= 1;
    if (this.running === 0) for (const resolve of this.waiting.splice(0)) resolve();
  };
}
