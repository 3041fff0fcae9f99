import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger, type Settings, closeInOrder } from '#platform';
import type { Service } from './service.js';
import type { Wrapper } from './wrapper.js';

/** A stop ends within 30 s, whatever hangs. */
const AT_MOST_MS = 28_000;
/** What is left of it for streams, connections and files after the runs had their time. */
const CLOSING_MS = 6_000;
/** What is told to stop while it opens may open first; one that waits for a server meanwhile has nothing to lose. */
const OPENING_MS = 5_000;
/** npm hands on what the terminal has told everybody already: one Ctrl-C arrives twice. */
const SAME_SIGNAL_MS = 500;
const LOOK_MS = 250;

const DONE = 0;
const FAILED = 1;

/** What is stopped. */
export interface Stoppable {
  readonly service: Pick<Service, 'close'>;
  readonly app: Pick<NestFastifyApplication, 'close' | 'getHttpAdapter'>;
}

export interface StopPorts {
  readonly settings: Pick<Settings, 'shutdownGraceMs'>;
  readonly logger: Logger;
  /** null: this process was started by nobody whose end means its own. */
  readonly wrapper: Wrapper | null;
  readonly exit: (code: number) => void;
}

/**
 * First signal (SIGTERM, SIGINT, SIGHUP), or the end of the parent process: stop in order, without loss. A
 * second SIGTERM or SIGINT: end at once, which loses nothing either: the log has it all.
 */
export class Stop {
  private since: number | null = null;
  private stoppable: Stoppable | null = null;

  constructor(private readonly ports: StopPorts) {}

  /** Whether no request is taken any more. */
  get isStopping(): boolean {
    return this.since !== null;
  }

  /** From the start of the process on. */
  listen(): void {
    const hear = (signal: NodeJS.Signals): void => this.hear(signal);
    // A terminal that is closed says so with SIGHUP, which otherwise ends a process at once.
    process.on('SIGTERM', hear).on('SIGINT', hear).on('SIGHUP', hear);
    const { wrapper } = this.ports;
    if (wrapper === null) return;
    const look = setInterval(() => {
      if (!wrapper.isGone) return;
      clearInterval(look);
      if (!this.isStopping) this.begin('what started this process has ended');
    }, LOOK_MS).unref();
  }

  /** There is something to stop now. */
  serve(stoppable: Stoppable): void {
    this.stoppable = stoppable;
    if (this.isStopping) void this.stop(stoppable);
  }

  hear(signal: NodeJS.Signals): void {
    if (this.since === null) return this.begin(signal);
    // Shell and terminal each say that the terminal is gone, and nobody is impatient who says so.
    if (signal === 'SIGHUP') return;
    if (this.ports.wrapper !== null && performance.now() - this.since < SAME_SIGNAL_MS) return;
    this.ports.exit(FAILED);
  }

  private begin(reason: string): void {
    this.since = performance.now();
    this.ports.logger.info({ signal: reason }, 'stopping');
    setTimeout(() => this.ports.exit(FAILED), AT_MOST_MS).unref();
    if (this.stoppable !== null) void this.stop(this.stoppable);
    else
      setTimeout(() => {
        if (this.stoppable === null) this.ports.exit(DONE);
      }, OPENING_MS).unref();
  }

  private async stop({ service, app }: Stoppable): Promise<void> {
    const { settings, logger, exit } = this.ports;
    const { server } = app.getHttpAdapter().getInstance();
    try {
      await closeInOrder(
        () => server.close(),
        () => service.close(Math.min(settings.shutdownGraceMs, AT_MOST_MS - CLOSING_MS)),
        () => server.closeAllConnections(),
        () => app.close(),
      );
    } catch (error) {
      logger.error({ err: error }, 'the stop did not go through');
      return exit(FAILED);
    }
    logger.info({}, 'stopped');
    exit(DONE);
  }
}
